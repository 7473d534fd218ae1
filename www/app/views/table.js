// The device table: a grid whose rows can be selected by mouse (with shift and ctrl) and by keyboard.

import { coalesce, h, icon, setAttribute, setText } from "../dom.js";
import { count } from "../format.js";
import { NO_FILTERS, PAGE_SIZE } from "../store.js";
import { createRow } from "./table-row.js";
import { selectionKeys } from "./table-keys.js";

const COLUMNS = [
  { key: "name", label: "Name" },
  { key: "city", label: "City" },
  { key: "status", label: "Status" },
  { key: "battery", label: "Battery", class: "col-battery" },
  { key: "firmware", label: "Firmware", class: "col-firmware" },
  { key: "lastSeen", label: "Last seen", class: "col-seen" },
];

export function mountTable(root, store, { onDisable, onOpen }) {
  const rows = new Map();
  const keys = selectionKeys(store, onOpen);
  const all = h("input", { type: "checkbox", class: "checkbox", "aria-label": "Select all on this page", on: { click: () => keys.toggleAll() } });
  const heads = COLUMNS.map((column) => headCell(column, store));
  const body = h("tbody", { role: "rowgroup" });
  const table = h("table", { class: "devices", role: "grid", "aria-label": "Devices", "aria-multiselectable": "true" },
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, h("th", { role: "columnheader", class: "col-check", "aria-label": "Selected" }, all), heads.map((head) => head.cell), h("th", { role: "columnheader", class: "col-open", "aria-label": "Details" }))),
    body);
  const state = h("div", { class: "table-state", hidden: true });
  const bulk = bulkBar(store, onDisable);
  const pager = pageBar(store);
  root.append(h("section", { class: "card table-card", "aria-label": "Device list" }, bulk.bar, h("div", { class: "table-scroll" }, table, state), pager.bar));
  keys.attach(body, table);

  const render = () => {
    const shown = store.pageRows();
    const ids = new Set(shown.map((device) => device.id));
    for (const [id, row] of rows) if (!ids.has(id)) rows.delete(id) && row.element.remove();
    shown.forEach((device, index) => {
      let row = rows.get(device.id);
      if (!row) rows.set(device.id, (row = createRow(device.id, keys)));
      if (body.children[index] !== row.element) body.insertBefore(row.element, body.children[index] ?? null);
      row.render(device, { selected: store.selection.has(device.id), open: store.openId === device.id, touched: store.touched.has(device.id) });
    });
    store.touched.clear();
    keys.settleFocus();
    const chosen = shown.filter((device) => store.selection.has(device.id)).length;
    all.checked = chosen > 0 && chosen === shown.length;
    all.indeterminate = chosen > 0 && chosen < shown.length;
    all.disabled = shown.length === 0;
    for (const head of heads) head.render();
    setAttribute(table, "aria-rowcount", store.matching().length + 1);
    bulk.render();
    pager.render();
    renderState(state, store, shown.length);
  };
  store.subscribe(coalesce(render));
  render();
}

function headCell(column, store) {
  const button = h("button", { type: "button", class: "sort-button", on: { click: () => store.setSort(column.key) } }, h("span", { text: column.label }), icon("down", 12));
  const cell = h("th", { role: "columnheader", scope: "col", class: column.class ?? `col-${column.key}` }, button);
  return {
    cell,
    render() {
      const { key, descending } = store.sort;
      setAttribute(cell, "aria-sort", key === column.key ? (descending ? "descending" : "ascending") : "none");
    },
  };
}

function bulkBar(store, onDisable) {
  const label = h("strong", { class: "bulk-count" });
  const why = h("span", { class: "bulk-why", id: "disable-why" });
  const disable = h("button", { type: "button", class: "button button-danger", "aria-describedby": "disable-why", on: { click: onDisable } }, icon("power", 15), h("span", { text: "Disable…" }));
  const clear = h("button", { type: "button", class: "button button-quiet", text: "Clear", on: { click: () => store.select([]) } });
  const bar = h("div", { class: "bulk-bar", role: "region", "aria-label": "Selection", hidden: true }, label, why, h("span", { class: "spacer" }), clear, disable);
  return {
    bar,
    render() {
      const selected = store.selected().length;
      bar.hidden = selected === 0;
      setText(label, `${selected} selected`);
      const obstacle = store.disableObstacle();
      disable.disabled = obstacle !== undefined;
      setText(why, obstacle ?? "");
    },
  };
}

function pageBar(store) {
  const range = h("span", { class: "page-range", "aria-live": "polite" });
  const previous = h("button", { type: "button", class: "icon-button", "aria-label": "Previous page", on: { click: () => store.setPage(store.page - 1) } }, icon("left"));
  const next = h("button", { type: "button", class: "icon-button", "aria-label": "Next page", on: { click: () => store.setPage(store.page + 1) } }, icon("chevron"));
  const bar = h("nav", { class: "page-bar", "aria-label": "Pages" }, range, h("span", { class: "spacer" }), previous, next);
  return {
    bar,
    render() {
      const total = store.matching().length;
      bar.hidden = total === 0;
      const first = (store.page - 1) * PAGE_SIZE + 1;
      setText(range, `${first}–${Math.min(total, first + PAGE_SIZE - 1)} of ${total}`);
      previous.disabled = store.page <= 1;
      next.disabled = store.page >= store.pages;
    },
  };
}

function renderState(state, store, shown) {
  const wanted = store.phase === "ready" ? (shown === 0 ? "empty" : "none") : store.phase;
  state.hidden = wanted === "none";
  if (state.dataset.state === wanted) return;
  state.dataset.state = wanted;
  setAttribute(state, "role", wanted === "error" ? "alert" : "status");
  state.replaceChildren(...stateContent(wanted, store));
}

function stateContent(wanted, store) {
  if (wanted === "loading") return [h("span", { class: "visually-hidden", text: "Loading devices" }), ...Array.from({ length: 9 }, () => h("span", { class: "skeleton", "aria-hidden": "true" }))];
  if (wanted === "empty") {
    return [icon("empty", 32), h("p", { class: "state-title", text: "No device matches" }), h("p", { text: `None of the ${count(store.devices.length, "device")} passes these filters.` }),
      h("button", { type: "button", class: "button", text: "Reset the filters", on: { click: () => store.setFilters(NO_FILTERS) } })];
  }
  if (wanted === "error") {
    return [icon("warning", 32), h("p", { class: "state-title", text: "The devices could not be loaded" }), h("p", { text: store.error?.message ?? "" }),
      h("button", { type: "button", class: "button", text: "Try again", on: { click: () => store.load() } })];
  }
  return [];
}

// Title, status tabs with counts, search and the two selects.

import { coalesce, h, icon, setText } from "../dom.js";
import { count, words } from "../format.js";
import { CITIES, KINDS, STATUSES } from "../store.js";

const SEARCH_DELAY_MS = 120;

export function mountFilters(root, store) {
  const summary = h("p", { class: "page-summary", role: "status" });
  const tabs = new Map(["all", ...STATUSES].map((status) => [status, statusTab(status, store)]));
  const search = h("input", { type: "search", class: "input search-input", placeholder: "Search name, id or serial", "aria-label": "Search devices", maxlength: 80, autocomplete: "off", spellcheck: "false" });
  let timer;
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => store.setFilters({ q: search.value }), SEARCH_DELAY_MS);
  });
  const city = select("City", "All cities", CITIES.map((name) => [name, name]), (value) => store.setFilters({ city: value }));
  const kind = select("Kind", "All kinds", KINDS.map((name) => [name, words(name)]), (value) => store.setFilters({ kind: value }));
  root.append(
    h("div", { class: "page-head" }, h("h1", { class: "page-title", text: "Devices" }), summary),
    h("div", { class: "filters", role: "search", "aria-label": "Filters" },
      h("div", { class: "status-tabs", role: "group", "aria-label": "Status" }, [...tabs.values()].map((tab) => tab.button)),
      h("div", { class: "filter-fields" }, h("label", { class: "search-field" }, icon("search", 16), search), city.field, kind.field)),
  );
  const render = () => {
    const counts = store.statusCounts();
    for (const [status, tab] of tabs) tab.render(store.filters.status === status, counts[status], store.phase === "ready");
    city.render(store.filters.city);
    kind.render(store.filters.kind);
    if (document.activeElement !== search && search.value !== store.filters.q) search.value = store.filters.q;
    setText(summary, summaryText(store));
  };
  store.subscribe(coalesce(render));
  render();
}

function summaryText(store) {
  if (store.phase !== "ready") return "\u00a0";
  const shown = store.matching().length;
  const cities = new Set(store.devices.map((device) => device.city)).size;
  const total = `${count(store.devices.length, "device")} in ${count(cities, "city", "cities")}`;
  return shown === store.devices.length ? total : `${shown} of ${total}`;
}

function statusTab(status, store) {
  const number = h("span", { class: "tab-count" });
  const button = h("button", { type: "button", class: `status-tab status-${status}`, on: { click: () => store.setFilters({ status }) } },
    status === "all" ? null : h("span", { class: "dot", "aria-hidden": "true" }), h("span", { text: words(status) }), number);
  return {
    button,
    render(active, value, ready) {
      button.setAttribute("aria-pressed", String(active));
      setText(number, ready ? String(value) : "–");
    },
  };
}

function select(label, all, options, onChange) {
  const control = h("select", { class: "input select-input", "aria-label": label, on: { change: () => onChange(control.value) } },
    h("option", { value: "all", text: all }), options.map(([value, text]) => h("option", { value, text })));
  const field = h("span", { class: "select-field" }, control, icon("down", 14));
  return {
    field,
    render(value) {
      control.value = value;
      field.classList.toggle("is-set", value !== "all");
    },
  };
}

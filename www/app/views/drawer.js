// The drawer of one device: its details and the form that renames it. Escape closes it, and focus goes back to its row.

import { coalesce, h, icon, iconButton, setText } from "../dom.js";
import { dateTime, timeAgo, words } from "../format.js";
import { battery, statusPill } from "./table-row.js";

const FIELDS = [
  ["Kind", (device) => words(device.kind)],
  ["City", (device) => device.city],
  ["Serial", (device) => device.serial],
  ["Firmware", (device) => device.firmware],
  ["Last seen", (device) => `${dateTime(device.lastSeen)} (${timeAgo(device.lastSeen)})`],
];

export function mountDrawer(root, store, { rename }) {
  const drawer = h("section", { class: "drawer", "aria-labelledby": "drawer-title", hidden: true });
  root.append(drawer);
  let view = null;
  const close = () => {
    const id = store.openId;
    store.open(null);
    root.querySelector(`tr[data-id="${CSS.escape(id ?? "")}"]`)?.focus();
  };
  drawer.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    close();
  });
  const render = () => {
    const device = store.openDevice;
    drawer.hidden = device === undefined;
    if (view !== null && view.id !== device?.id) view = null;
    if (device === undefined) return;
    if (view === null) {
      view = deviceView(device.id, { close, rename });
      drawer.replaceChildren(...view.elements);
    }
    view.render(device);
  };
  store.subscribe(coalesce(render));
  render();
  return {
    /** Moves there once it is drawn. Who opens it by an agent keeps the focus where it is. */
    focus: () => queueMicrotask(() => drawer.querySelector(".drawer-title")?.focus()),
  };
}

function deviceView(id, { close, rename }) {
  const title = h("h2", { class: "drawer-title", id: "drawer-title", tabindex: -1 });
  const glyph = h("span", { class: "kind-glyph kind-glyph-large", "aria-hidden": "true" });
  const pill = statusPill();
  const charge = battery();
  const values = FIELDS.map(([label, read]) => ({ read, term: h("dt", { text: label }), value: h("dd") }));
  const form = renameForm(id, rename);
  return {
    id,
    elements: [
      h("header", { class: "drawer-head" }, glyph, h("div", { class: "drawer-heading" }, title, h("p", { class: "drawer-sub" }, h("span", { class: "mono", text: id }), pill.element)), iconButton("close", "Close the details", close)),
      h("div", { class: "drawer-body" }, form.element,
        h("dl", { class: "facts" }, h("div", {}, h("dt", { text: "Battery" }), h("dd", {}, charge.element)), values.map(({ term, value }) => h("div", {}, term, value)))),
    ],
    render(device) {
      setText(title, device.name);
      if (!glyph.firstChild) glyph.append(icon(device.kind, 22));
      pill.render(device.status);
      charge.render(device.battery);
      for (const { read, value } of values) setText(value, read(device));
      form.render(device);
    },
  };
}

function renameForm(id, rename) {
  const input = h("input", { class: "input", id: "rename-input", name: "name", maxlength: 60, required: true, autocomplete: "off", "aria-describedby": "rename-error" });
  const error = h("p", { class: "field-error", id: "rename-error", role: "alert" });
  const save = h("button", { class: "button button-primary", type: "submit", text: "Rename", disabled: true });
  const element = h("form", { class: "rename", novalidate: true }, h("label", { for: "rename-input", text: "Name" }), h("div", { class: "rename-row" }, input, save), error);
  let shown = "";
  const refresh = () => {
    save.disabled = input.value.trim() === "" || input.value.trim() === shown;
  };
  input.addEventListener("input", () => {
    setText(error, "");
    input.removeAttribute("aria-invalid");
    refresh();
  });
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (save.disabled) return;
    save.disabled = true;
    const problem = await rename(id, input.value.trim());
    setText(error, problem ?? "");
    if (problem) {
      input.setAttribute("aria-invalid", "true");
      input.focus();
    }
    refresh();
  });
  return {
    element,
    render(device) {
      if (device.name === shown) return;
      // A name that the person is typing stays; one that nobody touched follows the server.
      if (input.value === shown) input.value = device.name;
      shown = device.name;
      refresh();
    },
  };
}

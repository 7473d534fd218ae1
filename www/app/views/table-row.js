// One row of the device table.

import { h, icon, setAttribute, setText } from "../dom.js";
import { dateTime, timeAgo, words } from "../format.js";

/** `keys` hears clicks and toggles; `render(device, { selected, open, touched })` brings the row up to date. */
export function createRow(id, keys) {
  const check = h("input", { type: "checkbox", class: "checkbox", tabindex: -1 });
  check.addEventListener("click", (event) => keys.toggle(id, event.shiftKey));
  const glyph = h("span", { class: "kind-glyph", "aria-hidden": "true" });
  const name = h("span", { class: "device-name" });
  const sub = h("span", { class: "device-id" });
  const city = h("td", { role: "gridcell", class: "col-city" });
  const pill = statusPill();
  const charge = battery();
  const firmware = h("td", { role: "gridcell", class: "col-firmware" });
  const seen = h("td", { role: "gridcell", class: "col-seen" });
  const element = h("tr", { role: "row", dataset: { id }, tabindex: -1 },
    h("td", { role: "gridcell", class: "col-check" }, check),
    h("td", { role: "gridcell", class: "col-name" }, h("span", { class: "name-cell" }, glyph, h("span", { class: "name-text" }, name, sub))),
    city, h("td", { role: "gridcell", class: "col-status" }, pill.element), h("td", { role: "gridcell", class: "col-battery" }, charge.element), firmware, seen,
    h("td", { role: "gridcell", class: "col-open", "aria-hidden": "true" }, icon("chevron", 16)));
  element.addEventListener("animationend", () => element.classList.remove("is-touched"));
  let kind;
  return {
    element,
    render(device, { selected, open, touched }) {
      if (kind !== device.kind) glyph.replaceChildren(icon((kind = device.kind)));
      setText(name, device.name);
      setText(sub, `${device.id} · ${words(device.kind)}`);
      setText(city, device.city);
      pill.render(device.status);
      charge.render(device.battery);
      setText(firmware, device.firmware);
      setText(seen, timeAgo(device.lastSeen));
      seen.title = dateTime(device.lastSeen);
      check.checked = selected;
      setAttribute(check, "aria-label", `Select ${device.name}`);
      setAttribute(element, "aria-selected", String(selected));
      element.classList.toggle("is-open", open);
      if (touched) element.classList.add("is-touched");
    },
  };
}

/** The status as a dot and a word. */
export function statusPill() {
  const text = h("span");
  const element = h("span", { class: "status" }, h("span", { class: "dot", "aria-hidden": "true" }), text);
  return {
    element,
    render(status) {
      element.className = `status status-${status}`;
      setText(text, words(status));
    },
  };
}

/** The battery as a bar and a number; `null` is mains power. */
export function battery() {
  const fill = h("span", { class: "battery-fill" });
  const bar = h("span", { class: "battery-bar", "aria-hidden": "true" }, fill);
  const text = h("span", { class: "battery-text" });
  const element = h("span", { class: "battery" }, bar, text);
  return {
    element,
    render(level) {
      bar.hidden = level === null;
      element.classList.toggle("is-low", level !== null && level <= 20);
      fill.style.setProperty("inline-size", `${level ?? 0}%`);
      setText(text, level === null ? "Mains" : `${level}%`);
    },
  };
}

// Building blocks for the DOM. Text only ever becomes text: nothing here parses markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Makes an element. `props`: `class`, `text`, `dataset`, `on` (event name → listener), `style` (property → value);
 * any other key is an attribute, left out when its value is `undefined`, `null` or `false`.
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props ?? {})) setProp(element, key, value);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function setProp(element, key, value) {
  if (value === undefined || value === null || value === false) return;
  if (key === "class") element.className = value;
  else if (key === "text") element.textContent = value;
  else if (key === "dataset") Object.assign(element.dataset, value);
  else if (key === "on") for (const [type, listener] of Object.entries(value)) element.addEventListener(type, listener);
  else if (key === "style") for (const [name, text] of Object.entries(value)) element.style.setProperty(name, text);
  else element.setAttribute(key, value === true ? "" : String(value));
}

/** Sets an attribute to a text, or removes it when the value is `undefined`, `null` or `false`. */
export function setAttribute(element, name, value) {
  if (value === undefined || value === null || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value === true ? "" : String(value));
}

/** Sets the text of an element without touching the DOM when it is the same. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Calls `render` once, in the next microtask, however often the returned function is called until then. */
export function coalesce(render) {
  let planned = false;
  return () => {
    if (planned) return;
    planned = true;
    queueMicrotask(() => {
      planned = false;
      render();
    });
  };
}

const PATHS = {
  mark: ["M12 4.2 19 16.4H5z", "M7 20h10"],
  search: ["M10.5 17a6.5 6.5 0 1 1 0-13 6.5 6.5 0 0 1 0 13Z", "m15.4 15.4 4.6 4.6"],
  close: ["m6 6 12 12", "M18 6 6 18"],
  chevron: ["m9 6 6 6-6 6"],
  left: ["m15 6-6 6 6 6"],
  down: ["m6 9 6 6 6-6"],
  up: ["m6 15 6-6 6 6"],
  check: ["m5 12.5 4.5 4.5L19 7.5"],
  minus: ["M6 12h12"],
  gateway: ["M4 13h16v6H4z", "M8 16h.01", "M12 16h4", "M8 10a5.6 5.6 0 0 1 8 0", "M5.4 7.2a9.4 9.4 0 0 1 13.2 0"],
  sensor: ["M12 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z", "M7.8 16.2a6 6 0 0 1 0-8.4", "M16.2 7.8a6 6 0 0 1 0 8.4", "M5 19a10 10 0 0 1 0-14", "M19 5a10 10 0 0 1 0 14"],
  camera: ["M4 7.5h11v9H4z", "m15 11 5-3v8l-5-3"],
  thermostat: ["M12 3.5a2.5 2.5 0 0 1 2.5 2.5v7.6a4.4 4.4 0 1 1-5 0V6A2.5 2.5 0 0 1 12 3.5Z", "M12 10v6"],
  sun: ["M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8Z", "M12 3v1.5", "M12 19.5V21", "M4.5 12H3", "M21 12h-1.5", "m5.6 5.6 1.1 1.1", "m17.3 17.3 1.1 1.1", "m5.6 18.4 1.1-1.1", "m17.3 6.7 1.1-1.1"],
  moon: ["M20 14.2A8.2 8.2 0 0 1 9.8 4a8.2 8.2 0 1 0 10.2 10.2Z"],
  system: ["M4 5h16v11H4z", "M9 20h6", "M12 16v4"],
  restore: ["M4.5 12a7.5 7.5 0 1 0 2.2-5.3L4.5 9", "M4.5 4.5V9H9"],
  spark: ["M12 3.5c.6 4.9 3.6 7.9 8.5 8.5-4.9.6-7.9 3.6-8.5 8.5-.6-4.9-3.6-7.9-8.5-8.5 4.9-.6 7.9-3.6 8.5-8.5Z"],
  send: ["M12 19V5", "m6 11 6-6 6 6"],
  stop: ["M7 7h10v10H7z"],
  gear: ["M4 7h9", "M17 7h3", "M15 9a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z", "M4 17h3", "M11 17h9", "M9 19a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z"],
  plus: ["M12 5v14", "M5 12h14"],
  eye: ["M2.8 12S6 5.8 12 5.8 21.2 12 21.2 12 18 18.2 12 18.2 2.8 12 2.8 12Z", "M12 14.6a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2Z"],
  cursor: ["m5 4 6.5 15.5 2.1-6.4 6.4-2.1z"],
  arrow: ["M5 12h14", "m13 6 6 6-6 6"],
  pencil: ["M4 20h4L19 9l-4-4L4 16z"],
  power: ["M12 4v8", "M7.5 7a7 7 0 1 0 9 0"],
  globe: ["M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17Z", "M3.5 12h17", "M12 3.5c2.6 2.4 3.6 5.2 3.6 8.5s-1 6.1-3.6 8.5c-2.6-2.4-3.6-5.2-3.6-8.5s1-6.1 3.6-8.5Z"],
  warning: ["M12 4 21 19.5H3z", "M12 10v4.5", "M12 17v.01"],
  panel: ["M4 5h16v14H4z", "M14.5 5v14"],
  empty: ["M4 13.5 7 5h10l3 8.5V19H4z", "M4 13.5h4.5l1 2.5h5l1-2.5H20"],
};

/** A line icon on a 24-pixel grid, hidden from assistive technology (its button or text carries the name). */
export function icon(name, size = 18) {
  const svg = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({ viewBox: "0 0 24 24", width: size, height: size, "aria-hidden": "true", focusable: "false", class: `icon icon-${name}` })) {
    svg.setAttribute(key, value);
  }
  for (const d of PATHS[name] ?? []) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", d);
    svg.append(path);
  }
  return svg;
}

/** A button that shows only an icon; `label` is its accessible name and its tooltip. */
export function iconButton(name, label, onClick, props = {}) {
  return h("button", { type: "button", class: "icon-button", "aria-label": label, title: label, on: { click: onClick }, ...props }, icon(name));
}

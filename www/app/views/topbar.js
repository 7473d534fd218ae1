// The bar on top: brand, theme, the person signed in, the copilot's switch.

import { h, icon, iconButton } from "../dom.js";

const THEMES = ["system", "light", "dark"];
const THEME_ICONS = { system: "system", light: "sun", dark: "moon" };
const KEY = "outpost.theme";

/** The theme in use; `onChange` hears every switch with `"light"`, `"dark"` or undefined (the system's). */
export function createTheme() {
  const listeners = new Set();
  let current = THEMES.includes(remembered()) ? remembered() : "system";
  const apply = () => {
    if (current === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = current;
    for (const listener of listeners) listener(current === "system" ? undefined : current);
  };
  apply();
  return {
    get current() {
      return current;
    },
    next() {
      current = THEMES[(THEMES.indexOf(current) + 1) % THEMES.length];
      remember(current);
      apply();
    },
    onChange(listener) {
      listeners.add(listener);
      listener(current === "system" ? undefined : current);
    },
  };
}

// Storage may be switched off for the page; the theme then lives as long as the page.
function remembered() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function remember(value) {
  try {
    localStorage.setItem(KEY, value);
  } catch (error) {
    console.info("The theme is not remembered:", error);
  }
}

export function mountTopbar(root, { user, theme, panel, onReset }) {
  const themeButton = iconButton(THEME_ICONS[theme.current], "", () => theme.next());
  theme.onChange(() => {
    themeButton.replaceChildren(icon(THEME_ICONS[theme.current]));
    themeButton.title = `Theme: ${theme.current}`;
    themeButton.setAttribute("aria-label", `Theme: ${theme.current}. Switch`);
  });
  const toggle = h("button", { type: "button", class: "button panel-toggle", "aria-controls": "copilot", on: { click: () => panel.toggle() } }, icon("panel", 16), h("span", { text: "Copilot" }));
  panel.onChange((open) => toggle.setAttribute("aria-expanded", String(open)));
  root.append(
    h("a", { class: "brand", href: "#/devices", "aria-label": "Outpost, devices" }, h("span", { class: "brand-mark" }, icon("mark", 18)), h("span", { class: "brand-name", text: "Outpost" })),
    h("span", { class: "topbar-divider", "aria-hidden": "true" }),
    h("span", { class: "topbar-site", text: user.organisation }),
    h("span", { class: "spacer" }),
    iconButton("restore", "Restore the sample data", onReset),
    themeButton,
    h("span", { class: "person", title: user.email }, h("span", { class: "avatar", "aria-hidden": "true", text: initials(user.name) }), h("span", { class: "person-name", text: user.name })),
    toggle,
  );
}

function initials(name) {
  return name.split(" ").map((part) => part.charAt(0)).join("").slice(0, 2);
}

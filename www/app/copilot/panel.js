// The panel beside the console: tabs for the conversation, the catalog and the audit trail; approvals and the state of
// the browser's own tools stay in sight under every tab.

import { h, icon, iconButton } from "../dom.js";

const TABS = [["chat", "Copilot"], ["catalog", "Catalog"], ["audit", "Audit"]];

/** Open or closed, and who wants to know. On a narrow window the panel lies over the console. */
export function createPanelState(workspace) {
  const narrow = matchMedia("(max-width: 899px)");
  const listeners = new Set();
  let open = !narrow.matches;
  const apply = () => {
    workspace.classList.toggle("panel-closed", !open);
    for (const listener of listeners) listener(open);
  };
  narrow.addEventListener("change", () => {
    open = !narrow.matches;
    apply();
  });
  apply();
  return {
    set(value) {
      open = value;
      apply();
    },
    toggle() {
      open = !open;
      apply();
    },
    onChange(listener) {
      listeners.add(listener);
      listener(open);
    },
  };
}

/** `views`: tab → element. `approvals` and `footer` are shown under every tab. */
export function mountPanel(root, { views, composer, approvals, footer, onSettings, onNew, panel }) {
  const tabs = TABS.map(([id, label]) => h("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `view-${id}`, class: "panel-tab", on: { click: () => show(id) } }, id === "chat" ? icon("spark", 15) : null, h("span", { text: label })));
  for (const [id] of TABS) {
    views[id].id = `view-${id}`;
    views[id].setAttribute("role", "tabpanel");
    views[id].setAttribute("aria-labelledby", `tab-${id}`);
  }
  const strip = h("div", { class: "panel-tabs", role: "tablist", "aria-label": "Copilot panel" }, tabs);
  strip.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = tabs.indexOf(document.activeElement);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    next.focus();
    next.click();
  });
  const fresh = iconButton("plus", "New conversation", onNew);
  root.append(
    h("div", { class: "panel-head" }, strip, h("span", { class: "spacer" }), fresh, iconButton("gear", "Model settings", onSettings), iconButton("close", "Close the panel", () => panel.set(false), { class: "icon-button panel-close" })),
    h("div", { class: "panel-views" }, TABS.map(([id]) => views[id])),
    h("div", { class: "panel-approvals" }, approvals),
    composer,
    footer,
  );
  function show(id) {
    TABS.forEach(([tab], index) => {
      const active = tab === id;
      views[tab].hidden = !active;
      tabs[index].setAttribute("aria-selected", String(active));
      tabs[index].tabIndex = active ? 0 : -1;
    });
    fresh.hidden = id !== "chat";
    composer.hidden = id !== "chat";
  }
  show("chat");
  return { show };
}

// Short notes at the bottom of the page. They are also read out; one that reports a failure stays longer.

import { h, icon, iconButton } from "../dom.js";

const SHOWN_MS = { info: 5000, success: 5000, error: 9000 };
const MOST = 3;

export function createToasts(root) {
  const region = h("div", { class: "toast-region", role: "status", "aria-live": "polite" });
  root.append(region);
  return {
    show(text, tone = "success") {
      const toast = h("div", { class: `toast toast-${tone}` }, icon(tone === "error" ? "warning" : "check", 16), h("span", { text }), iconButton("close", "Dismiss", () => toast.remove()));
      region.append(toast);
      while (region.children.length > MOST) region.firstElementChild.remove();
      setTimeout(() => toast.remove(), SHOWN_MS[tone]);
    },
  };
}

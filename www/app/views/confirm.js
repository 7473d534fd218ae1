// The console's own question to the person who clicks "Disable…". What agents ask for goes through the approvals instead.

import { h } from "../dom.js";
import { count, listed } from "../format.js";

/** Resolves to true when the person confirms. */
export function confirmDisable(devices) {
  return new Promise((resolve) => {
    const cancel = h("button", { class: "button", type: "submit", value: "cancel", text: "Cancel", autofocus: true });
    const confirm = h("button", { class: "button button-danger-solid", type: "submit", value: "confirm", text: `Disable ${count(devices.length, "device")}` });
    const dialog = h("dialog", { class: "dialog", "aria-labelledby": "confirm-title" },
      h("form", { method: "dialog" },
        h("h2", { id: "confirm-title", text: `Disable ${count(devices.length, "device")}?` }),
        h("p", { text: `${listed(devices.map((device) => device.name))} will stop reporting until someone on site turns ${devices.length === 1 ? "it" : "them"} on again.` }),
        h("div", { class: "dialog-actions" }, cancel, confirm)));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "confirm");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

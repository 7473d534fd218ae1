// What a person can do: begin a world, step, run, look, keep, go back, end; and tamper with the next exchange.

import { h } from "/app/dom.js";
import { TAMPERINGS } from "./wire.js";

const SIZES = [9, 13, 17, 21];

const button = (label, onClick, props = {}) => h("button", { type: "button", class: "button", on: { click: onClick }, ...props }, label);
const option = (value, label) => h("option", { value, text: label });

/** Answers with `render(state)`. */
export function mountControls(root, { reset, step, run, observe, keep, restore, close }) {
  const seed = h("input", { class: "input", id: "seed", type: "number", min: 0, max: 4294967295, step: 1, value: 7, required: true });
  const size = h("select", { class: "input", id: "size" }, SIZES.map((each) => option(each, `${each} × ${each}`)));
  size.value = "13";
  const begin = h("button", { type: "submit", class: "button", text: "Reset" });
  const buttons = {
    step: button("Step", step),
    observe: button("Observe", observe),
    run: button("Run", run, { class: "button button-primary" }),
    keep: button("Snapshot", keep),
    restore: button("Restore", restore),
    close: button("Close", close),
  };
  root.addEventListener("submit", (event) => {
    event.preventDefault();
    reset({ seed: Number(seed.value), size: Number(size.value) });
  });
  root.append(
    h("div", { class: "control-row" }, buttons.run, buttons.step, buttons.observe, h("span", { class: "control-gap" }), buttons.keep, buttons.restore),
    h("div", { class: "control-row" }, h("label", { class: "control-field", for: "seed" }, "Seed", seed), h("label", { class: "control-field", for: "size" }, "Size", size), begin, buttons.close),
  );
  return function render({ isBusy, isRunning, isOpen, isDone, isKept }) {
    const isIdle = !isBusy && !isRunning;
    buttons.run.textContent = isRunning ? "Pause" : "Run";
    buttons.run.disabled = !isRunning && (isBusy || !isOpen || isDone);
    buttons.step.disabled = !isIdle || !isOpen || isDone;
    buttons.observe.disabled = !isIdle || !isOpen;
    buttons.keep.disabled = !isIdle || !isOpen;
    buttons.restore.disabled = !isIdle || !isKept;
    buttons.close.disabled = !isIdle || !isOpen;
    begin.disabled = !isIdle;
  };
}

/** The same for the form that tampers. */
export function mountTamper(root, tamper) {
  const choice = h("select", { class: "input", id: "tampering" },
    Object.entries(TAMPERINGS).map(([name, { label }]) => option(name, label)),
    option("retry", "Send the last step again"),
    option("reuse", "Send another step under the last one's name"),
  );
  const act = h("button", { type: "submit", class: "button button-danger", text: "Tamper" });
  root.addEventListener("submit", (event) => {
    event.preventDefault();
    tamper(choice.value);
  });
  root.append(h("label", { class: "visually-hidden", for: "tampering", text: "What to do to the next exchange" }), choice, act);
  return function render({ isBusy, isRunning, isOpen, isDone, lastMove }) {
    const needsLast = choice.value === "retry" || choice.value === "reuse";
    act.disabled = isBusy || isRunning || !isOpen || (needsLast ? lastMove === undefined : isDone);
    choice.onchange = () => render({ isBusy, isRunning, isOpen, isDone, lastMove });
  };
}

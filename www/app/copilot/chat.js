// The conversation: transcript, suggestions, composer. What the agent does is shown call by call.

import { h, icon, setText } from "../dom.js";
import { createTranscript } from "./transcript.js";

/**
 * `createLoop(on)` makes the agent loop that this view drives; `model()` is the model in use; `onStop()` hears that the person
 * stopped the agent.
 */
export function createChat({ createLoop, model, suggestions, describeTool, onStop }) {
  const transcript = createTranscript({ describeTool });
  const activityText = h("span", { class: "activity-text" });
  const activity = h("div", { class: "activity", role: "status", hidden: true }, h("span", { class: "pulse", "aria-hidden": "true" }), activityText);
  const label = h("span", { class: "model-label" });
  const input = h("textarea", { class: "composer-input", rows: 1, placeholder: "Ask the copilot", "aria-label": "Message to the copilot", maxlength: 4000 });
  const sendButton = h("button", { type: "submit", class: "send-button", "aria-label": "Send", title: "Send" }, icon("send"));
  const stopButton = h("button", { type: "button", class: "send-button stop-button", "aria-label": "Stop", title: "Stop", hidden: true, on: { click: () => stop() } }, icon("stop"));
  const composer = h("form", { class: "composer" }, input, h("div", { class: "composer-row" }, activity, label, h("span", { class: "spacer" }), stopButton, sendButton));
  const chips = h("div", { class: "suggestions" }, h("p", { class: "suggestions-title", text: "Try" }), suggestions.map((text) => h("button", { type: "button", class: "suggestion", on: { click: () => submit(text) } }, h("span", { text }), icon("arrow", 14))));
  const welcome = h("div", { class: "welcome" }, h("p", { class: "welcome-title", text: "What should happen?" }), h("p", { text: "The copilot works in this page with the same capabilities you see in the catalog. What is dangerous waits for your approval." }), chips);
  const scroller = h("div", { class: "chat-scroll" }, welcome, transcript.element);
  const element = h("section", { class: "chat" }, scroller);

  const loop = createLoop({
    turn: () => follow(),
    piece: (text) => follow(transcript.piece(text)),
    text: (text) => follow(transcript.agent(text)),
    call: (event) => follow(transcript.call(event)),
    result: (event) => follow(transcript.result(event)),
    end: (ending) => {
      transcript.end(ending);
      setBusy(false);
      follow();
      // The composer was away while the agent worked; whoever was there comes back to it.
      if (document.activeElement === document.body) input.focus();
    },
  });

  // While the agent works, the composer is one line that says so and can stop it.
  function setBusy(busy) {
    activity.hidden = !busy;
    label.hidden = busy;
    input.hidden = busy;
    sendButton.hidden = busy;
    stopButton.hidden = !busy;
    showWaiting(false);
  }

  function showWaiting(waiting) {
    setText(activityText, waiting ? "Waiting for your approval" : "Working…");
  }

  // Whoever reads further up is left there.
  let atEnd = true;
  scroller.addEventListener("scroll", () => {
    atEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 24;
  });
  new ResizeObserver(() => welcome.hidden && follow()).observe(scroller);

  function toEnd() {
    scroller.scrollTop = scroller.scrollHeight;
  }

  function follow() {
    if (atEnd) toEnd();
  }

  function stop() {
    loop.stop();
    onStop();
  }

  async function submit(text) {
    const said = text.trim();
    if (said === "" || loop.busy) return;
    welcome.hidden = true;
    transcript.user(said);
    input.value = "";
    grow();
    setBusy(true);
    toEnd();
    await loop.send(said);
  }

  function grow() {
    input.style.setProperty("block-size", "auto");
    input.style.setProperty("block-size", `${Math.min(input.scrollHeight, 140)}px`);
    sendButton.disabled = input.value.trim() === "";
  }

  input.addEventListener("input", grow);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      submit(input.value);
    }
  });
  composer.addEventListener("submit", (event) => {
    event.preventDefault();
    submit(input.value);
  });
  const refresh = () => {
    const { label: text, scripted } = model();
    setText(label, text);
    label.classList.toggle("is-scripted", Boolean(scripted));
    chips.hidden = !scripted;
  };
  refresh();
  sendButton.disabled = true;

  return {
    element,
    composer,
    refresh,
    showWaiting,
    reset() {
      stop();
      loop.reset();
      transcript.clear();
      welcome.hidden = false;
      input.focus();
    },
  };
}

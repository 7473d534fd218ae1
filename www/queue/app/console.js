// The console: an external client in miniature. All it is given is a way to hand over a request and get the response; it
// knows neither the registry nor the queue.

import { jsonView } from "../../app/copilot/json-view.js";
import { h, setText } from "../../app/dom.js";

const MOST = 30;

/** `handle(request)` → a promise of the response. `protocol` is what requests name. */
export function createConsole({ handle, protocol, words }) {
  const log = h("ol", { class: "exchanges", "aria-label": words.exchanges, "aria-live": "polite" });
  const nothing = h("p", { class: "quiet", text: words.noExchange });
  let number = 0;

  async function send(request) {
    number += 1;
    const whole = { protocol, id: `req_${String(number).padStart(2, "0")}`, ...request };
    const entry = exchangeView(whole, words);
    nothing.hidden = true;
    log.prepend(entry.element);
    while (log.children.length > MOST) log.lastChild.remove();
    entry.answered(await handle(whole));
  }
  const button = (label, capability, request, note) =>
    h("button", { type: "button", class: "button", dataset: { capability }, on: { click: () => send(request) } }, label, note && h("span", { class: "badge", text: note }));
  const invoke = (label, capability, input, note) => button(label, capability, { method: "invoke", capability, ...(input && { input }) }, note);

  const text = h("input", { class: "input", name: "text", "aria-label": words.consoleText, value: words.consoleExample, autocomplete: "off", maxlength: "400" });
  const form = h("form", { class: "console-form" }, text, h("button", { type: "submit", class: "button", text: words.consoleAdd }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send({ method: "invoke", capability: "todo.add", input: { text: text.value } });
  });

  const element = h("section", { class: "card console", "aria-labelledby": "console-title" },
    h("h2", { id: "console-title", text: words.consoleTitle }),
    h("p", { class: "quiet", text: words.consoleHint }),
    h("div", { class: "console-buttons" },
      button(words.describe, "describe", { method: "describe", input: { limit: 2 } }),
      invoke(words.overview, "todo.overview"),
      invoke(words.clear, "todo.clear_completed"),
      invoke(words.row, "view:support-queue.row.setCompleted", { completed: true }, words.rowNote),
    ),
    form,
    nothing,
    log,
  );
  return { element };
}

/** Two kinds of failure: the exchange's own, and that of an action within an exchange that succeeded. */
function outcomeOf({ ok, error, result }, words) {
  if (!ok) return { tone: "bad", text: error.code, kind: words.exchangeFailed };
  if (result.error) return { tone: "warn", text: result.error.code, kind: words.actionFailed };
  return { tone: "good", text: "ok", kind: "" };
}

function exchangeView(request, words) {
  const state = h("span", { class: "exchange-state", text: words.waiting });
  const kind = h("span", { class: "exchange-kind" });
  const answer = h("div", { class: "exchange-answer" }, h("p", { class: "quiet", text: words.noAnswerYet }));
  const element = h("li", { class: "exchange", dataset: { tone: "waiting", request: request.id } },
    h("details", { open: true },
      h("summary", {}, h("span", { class: "exchange-name mono", text: request.capability ?? request.method }), kind, state),
      h("div", { class: "exchange-body" }, h("h3", { text: words.request }), jsonView(request), h("h3", { text: words.response }), answer)));
  return {
    element,
    answered(response) {
      const outcome = outcomeOf(response, words);
      element.dataset.tone = outcome.tone;
      setText(state, outcome.text);
      setText(kind, outcome.kind);
      answer.replaceChildren(jsonView(response));
    },
  };
}

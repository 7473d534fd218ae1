// The transcript: what was said, each call, and its result, which unfold on demand.

import { h, icon, setText } from "../dom.js";
import { duration } from "../format.js";
import { jsonView } from "./json-view.js";

const EFFECT_ICONS = { read: "eye", "local-state": "cursor", navigation: "arrow", "server-query": "globe", "server-mutation": "pencil", "external-side-effect": "globe", destructive: "power" };

/** `describeTool(name, description)` → `{ title, capabilityId, effect, confirmation }`. */
export function createTranscript({ describeTool }) {
  const element = h("div", { class: "transcript", role: "log", "aria-label": "Conversation" });
  const cards = new Map();

  /** What the agent is saying: the paragraph that grows. */
  let growing = null;

  function say(kind, text) {
    const said = h("p", { text });
    element.append(h("div", { class: `said said-${kind}` }, said));
    return said;
  }

  return {
    element,
    user: (text) => say("user", text),
    piece(text) {
      growing ??= say("agent", "");
      growing.append(text);
    },
    agent(text) {
      if (growing === null) say("agent", text);
      else setText(growing, text);
      growing = null;
    },
    call({ call, tool }) {
      const card = callCard(call, describeTool(call.name, tool?.description ?? ""));
      cards.set(call.id, card);
      element.append(card.element);
    },
    result({ call, result, ms }) {
      cards.get(call.id)?.settle(result, ms);
      cards.delete(call.id);
    },
    end({ outcome, message }) {
      growing = null;
      if (outcome === "done") return;
      say(outcome === "failed" ? "error" : "note", message ?? "Stopped.");
    },
    clear() {
      growing = null;
      cards.clear();
      element.replaceChildren();
    },
  };
}

function callCard(call, { title, capabilityId, effect, confirmation }) {
  const state = h("span", { class: "call-state", text: confirmation ? "Needs approval" : "Running" });
  const outcome = h("div", { class: "call-outcome" });
  const element = h("details", { class: "call", dataset: { state: "running", effect } },
    h("summary", { class: "call-head" }, h("span", { class: "call-glyph" }, icon(EFFECT_ICONS[effect] ?? "cursor", 15)), h("span", { class: "call-title" }, h("span", { class: "call-name", text: title }), briefly(call.input)), state, icon("down", 14)),
    h("div", { class: "call-body" },
      h("p", { class: "call-id" }, h("span", { class: "mono", text: capabilityId }), h("span", { class: `badge badge-${effect}`, text: effect })),
      h("p", { class: "call-label", text: "Input" }), jsonView(call.input ?? {}), outcome));
  return {
    element,
    settle(result, ms) {
      const ok = result.status === "ok";
      const denied = !ok && result.error.code === "CONFIRMATION_INVALID" && result.error.details?.reason === "denied";
      element.dataset.state = ok ? "ok" : denied ? "denied" : "error";
      setText(state, ok ? duration(ms) : denied ? "Denied" : plainCode(result.error.code));
      outcome.replaceChildren(
        ...(ok ? [] : [h("p", { class: "call-error" }, h("strong", { class: "mono", text: result.error.code }), ` ${result.error.message}`)]),
        h("p", { class: "call-label", text: ok ? "Result" : "Error" }), jsonView(ok ? (result.output ?? null) : result.error));
    },
  };
}

/** The input in a few words, for the closed card. */
function briefly(input) {
  const parts = Object.entries(input ?? {}).filter(([, value]) => value !== "" && value !== "all").map(([, value]) => (Array.isArray(value) ? `${value.length} ids` : String(value)));
  return parts.length === 0 ? null : h("span", { class: "call-brief", text: parts.join(" · ").slice(0, 80) });
}

function plainCode(code) {
  return code.charAt(0) + code.slice(1).toLowerCase().replaceAll("_", " ");
}

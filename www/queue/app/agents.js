// Who is connected: proved origin, what it calls itself, scope, end, last call, and the button that ends it.

import { coalesce, h } from "../../app/dom.js";

/** `publication`: what `publishQueue` gives. */
export function createAgents({ publication, words, language }) {
  const time = new Intl.DateTimeFormat(language, { timeStyle: "medium", hourCycle: "h23" });
  const at = (moment) => time.format(new Date(moment));
  const list = h("ul", { class: "agents" });

  const fact = (name, ...content) => h("div", {}, h("dt", { text: name }), h("dd", {}, content.flat()));
  const entry = ({ origin, name, session, lastCall, state, revoke, allow }) => {
    const called = name ?? words.unnamed;
    const act = revoke
      ? h("button", { type: "button", class: "button button-danger", "aria-label": words.revokeLabel(called), text: words.revoke, on: { click: revoke } })
      : h("button", { type: "button", class: "button", "aria-label": words.allowLabel(called), text: words.allow, on: { click: allow } });
    return h("li", { class: "agent", dataset: { origin, state, session: session.sessionId } },
      h("div", { class: "agent-head" },
        h("span", { class: "agent-who" }, h("strong", { class: "agent-origin mono", text: origin }), h("span", { class: "quiet", text: origin === location.origin ? called : words.saysItIs(called) })),
        h("span", { class: "agent-state" }, h("span", { class: "dot", "aria-hidden": "true" }), words.states[state]),
        act),
      h("dl", { class: "agent-facts" },
        fact(words.scope, session.scope.map((id) => h("span", { class: "badge mono", text: id }))),
        fact(words.until, at(session.expiresAt)),
        fact(words.lastCall, lastCall ? [h("span", { class: "mono", text: lastCall.capability ?? "?" }), ` · ${at(lastCall.at)}`] : words.noCall)));
  };
  const render = coalesce(() => {
    const before = document.activeElement?.closest(".agent")?.dataset.origin;
    list.replaceChildren(...publication.connections().map(entry));
    // Whoever just pressed a button stays where they were.
    if (before !== undefined) [...list.children].find(({ dataset }) => dataset.origin === before)?.querySelector("button").focus();
  });
  publication.subscribe(render);
  render();
  const element = h("section", { class: "card", "aria-labelledby": "agents-title" },
    h("h2", { id: "agents-title", text: words.agentsTitle }), h("p", { class: "quiet", text: words.agentsHint }), list);
  return { element };
}

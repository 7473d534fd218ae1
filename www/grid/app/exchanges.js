// The list of exchanges: what went over the wire, what of it holds, and what became of it.

import { h, icon } from "/app/dom.js";
import { checkRequest, checkResponse } from "./evidence.js";

/** Older ones are dropped. */
const MOST = 200;

/** Checks an exchange, whatever came of it: a refusal has no envelope to check. */
export async function examine({ sent, status, received }, keys) {
  const isEnvelope = status === 200;
  return {
    request: await checkRequest(sent, keys.agent),
    response: isEnvelope ? await checkResponse(received, sent, keys.endpoint) : [],
  };
}

export function mountExchanges(root, verified) {
  let [envelopes, failed] = [0, 0];

  function count({ request, response }) {
    for (const checks of [request, response]) {
      if (checks.length === 0) continue;
      envelopes += 1;
      if (checks.some(({ holds }) => !holds)) failed += 1;
    }
    verified.textContent = `${envelopes - failed} verified${failed > 0 ? `, ${failed} tampered with` : ""}`;
  }

  /** `record` as the wire tells it, with its `checks`, and `refusal` if the client took no answer: its error. */
  return function add(record, number) {
    count(record.checks);
    root.prepend(entry(record, number));
    while (root.children.length > MOST) root.lastElementChild.remove();
  };
}

/** What became of an exchange: `[class, words, code]`. */
export function verdictOf({ status, received, refusal }) {
  if (status !== 200) return ["refused", `The environment refused it: status ${status}`, `${received.error.code} · ${received.error.message}`];
  if (refusal?.code?.startsWith("RESPONSE_")) return ["refused", "The client refused the answer", `${refusal.code} · ${refusal.message}`];
  if (received.status !== "completed") return ["declined", received.status, received.reasonCode];
  return ["completed", received.status, received.reasonCode];
}

function entry(record, number) {
  const [kind, words, code] = verdictOf(record);
  const all = [...record.checks.request, ...record.checks.response];
  const holding = all.filter(({ holds }) => holds).length;
  const isWhole = holding === all.length;
  const summary = h("summary", {},
    h("span", { class: "exchange-number mono", text: `#${number}` }),
    h("span", { class: "exchange-operation mono", text: record.sent.operation }),
    h("span", { class: `badge verdict-${kind}`, text: kind === "refused" ? "refused" : code }),
    h("span", { class: "spacer" }),
    h("span", { class: isWhole ? "checks-whole" : "checks-broken", title: "Checks that hold" }, icon(isWhole ? "check" : "warning", 14), h("span", { text: `${holding}/${all.length}` })),
  );
  const details = h("details", { class: "exchange", dataset: { verdict: kind, operation: record.sent.operation } }, summary,
    record.tampering && h("p", { class: "tampered", text: `Tampered with: ${record.tampering.label.toLowerCase()}.` }),
    h("p", { class: `verdict verdict-text-${kind}` }, h("b", { text: words }), h("span", { class: "mono", text: code })),
    half("Request", record.checks.request, record.sent),
    half(record.status === 200 ? "Response" : `Answer, status ${record.status}`, record.checks.response, record.received),
  );
  details.open = kind === "refused";
  return h("li", {}, details);
}

function half(title, checks, envelope) {
  return h("div", { class: "envelope" },
    h("h3", { text: title }),
    checks.length > 0 && h("ul", { class: "checks" }, checks.map(({ what, detail, holds }) =>
      h("li", { class: holds ? "holds" : "fails" }, icon(holds ? "check" : "close", 14), h("span", { text: what }), h("span", { class: "visually-hidden", text: holds ? "holds" : "does not hold" }), h("span", { class: "mono check-detail", text: detail, title: detail })))),
    h("pre", { class: "mono", tabindex: "0", text: JSON.stringify(envelope, null, 2) }),
  );
}

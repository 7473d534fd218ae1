// Starts the support queue: state, declarations, what is published of them, and what a person sees.

import { language } from "./language.js";
import "../../shared/pages.js";
import { h, setAttribute } from "../../app/dom.js";
import { declareActions } from "./actions.js";
import { createAgents } from "./agents.js";
import { createAudit } from "./audit.js";
import { createConsole } from "./console.js";
import { createAgentSurfaceRegistry, init, initSurface, SURFACE_PROTOCOL } from "./package.js";
import { Queue } from "./queue.js";
import { createReplaced } from "./replaced.js";
import { publishQueue } from "./surface.js";
import { createDeclaredView, createQueueView } from "./view.js";
import { APPROVALS, WORDS } from "./words.js";

const words = WORDS[language];
const desk = document.getElementById("desk");

/** Settles when the page is up. Its value is for tests: what the registry shows, without the power to approve. */
export const ready = start();
ready.catch((error) => {
  console.error(error);
  desk.replaceChildren(h("div", { class: "boot-failure", role: "alert" }, h("h1", { text: words.failed }), h("p", { text: error.message })));
});

async function start() {
  document.title = words.title;
  const [agentOrigin] = await Promise.all([originOfAgent(), init(), initSurface()]);
  const registry = createAgentSurfaceRegistry({ environment: "development" });
  const queue = new Queue(words.tasks.map((text, index) => ({ text, completed: index === 2 })));
  const { capabilities } = declareActions(registry, queue, words);
  const publication = publishQueue({ registry, queue, agentOrigin, consoleName: words.consoleName });

  const approvals = h("agent-approvals", { class: "approvals" });
  approvals.strings = APPROVALS[language];
  approvals.registry = registry;
  const asked = h("div", { class: "asked" }, approvals);
  registry.confirmations.subscribe(() => asked.classList.toggle("is-asking", registry.confirmations.pending().length > 0));

  desk.replaceChildren(
    heading(),
    asked,
    h("div", { class: "column" },
      createQueueView({ queue, words }).element,
      createAgents({ publication, words, language }).element,
      createDeclaredView({ registry, published: capabilities, words }).element,
      createReplaced({ words }).element),
    h("div", { class: "column" },
      createConsole({ handle: publication.handle, protocol: SURFACE_PROTOCOL, words }).element,
      agentView(agentOrigin),
      createAudit({ publication, words, language }).element),
  );
  return Object.freeze({
    snapshot: () => registry.snapshot(),
    pending: () => registry.confirmations.pending(),
    rows: () => queue.rows(),
    capabilities,
  });
}

/** The agent has a server of its own, on another port of the same machine. */
async function originOfAgent() {
  const { agent } = await (await fetch("/ports.json")).json();
  return `${location.protocol}//${location.hostname}:${agent}`;
}

function heading() {
  const link = (code, label) => h("a", { href: `?lang=${code}`, lang: code, hreflang: code, "aria-current": language === code ? "true" : undefined, text: label });
  return h("header", { class: "desk-head" },
    h("div", {}, h("h1", { text: words.title }), h("p", { class: "quiet", text: words.lead })),
    h("nav", { class: "languages", "aria-label": words.languages }, link("en", "English"), link("zh", "中文")));
}

function agentView(origin) {
  const frame = h("iframe", { class: "agent-frame", title: words.agentTitle, src: `${origin}/?lang=${language}` });
  setAttribute(frame, "referrerpolicy", "no-referrer");
  return h("section", { class: "card", "aria-labelledby": "agent-title" },
    h("h2", { id: "agent-title", text: words.agentTitle }), h("p", { class: "quiet", text: words.agentHint(origin) }), frame);
}

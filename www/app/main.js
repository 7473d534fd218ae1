// Starts the console: package, state, surface, views, copilot.

import { createAgentToolset, createWebMcpAdapter, init } from "./package.js";
import { createAgentLoop } from "./agent/loop.js";
import { EXAMPLES } from "./agent/scripted.js";
import { SYSTEM } from "./agent/system.js";
import { resetDevices } from "./api.js";
import { createAuditView } from "./copilot/audit.js";
import { createBrowserTools } from "./copilot/browser-tools.js";
import { createCatalog } from "./copilot/catalog.js";
import { createChat } from "./copilot/chat.js";
import { createPanelState, mountPanel } from "./copilot/panel.js";
import { createSettings } from "./copilot/settings.js";
import { toolDescriber } from "./copilot/tool-names.js";
import { h, icon, setAttribute } from "./dom.js";
import { capabilityTitle } from "./names.js";
import { createProcedures } from "./procedures.js";
import { createRouter } from "./router.js";
import { Store } from "./store.js";
import { mountSurface } from "./surface/mount.js";
import { CONSUMERS, createRegistry } from "./surface/registry.js";
import { confirmDisable } from "./views/confirm.js";
import { mountDrawer } from "./views/drawer.js";
import { mountFilters } from "./views/filters.js";
import { mountTable } from "./views/table.js";
import { createToasts } from "./views/toasts.js";
import { createTheme, mountTopbar } from "./views/topbar.js";

const USER = { name: "Giulia Ferri", email: "giulia.ferri@outpost.example", organisation: "Aurora Facilities", permissions: ["devices:control"] };
const byId = (id) => document.getElementById(id);

/** Settles when the console is up. Its value is for tests: the surface without the power to approve. */
export const ready = start();
ready.catch(showFailure);

async function start() {
  await init();
  const store = new Store();
  const toasts = createToasts(byId("toasts"));
  const procedures = createProcedures(store, toasts);
  const router = createRouter(store);
  const { registry, audit } = createRegistry({
    user: USER,
    route: router.current,
    procedures: { "devices.disable": procedures.disable, "devices.rename": procedures.rename },
  });
  mountSurface(registry, store);
  mountCopilot({ registry, audit, store, ...mountConsole({ store, toasts, procedures }) });
  await store.load();
  // Somebody else may have changed a device while this page was out of sight.
  document.addEventListener("visibilitychange", () => !document.hidden && store.load());
  return Object.freeze({
    snapshot: (consumer) => registry.snapshot({ consumer }),
    invoke: (request, options) => registry.invoke(request, options),
    pending: () => registry.confirmations.pending(),
    auditEvents: () => audit.events(),
    consumers: CONSUMERS,
  });
}

function mountConsole({ store, toasts, procedures }) {
  const main = byId("main");
  mountFilters(main, store);
  mountTable(main, store, {
    onDisable: () => attempt(toasts, () => disableSelected(store, procedures)),
    onOpen: () => drawer.focus(),
  });
  const drawer = mountDrawer(main, store, { rename: (id, name) => procedures.rename({ id, name }).then(() => undefined, (error) => error.message) });
  const theme = createTheme();
  const panel = createPanelState(byId("workspace"));
  mountTopbar(byId("topbar"), { user: USER, theme, panel, onReset: () => attempt(toasts, () => restore(store, toasts)) });
  return { theme, panel };
}

async function disableSelected(store, procedures) {
  const devices = store.selected();
  if (await confirmDisable(devices)) await procedures.disable({ ids: devices.map((device) => device.id) });
}

async function restore(store, toasts) {
  await resetDevices();
  await store.reload();
  toasts.show("The sample data is back");
}

async function attempt(toasts, work) {
  try {
    await work();
  } catch (error) {
    toasts.show(error.message, "error");
  }
}

function mountCopilot({ registry, audit, store, theme, panel }) {
  const toolset = createAgentToolset(registry, { consumer: CONSUMERS.copilot, topology: "embedded" });
  const adapter = createWebMcpAdapter({ snapshotContext: { scope: ["devices"] } });
  registry.attach(adapter, { consumer: CONSUMERS.browser });
  const settings = createSettings({ onChange: () => chat.refresh() });
  const chat = createChat({
    createLoop: (on) => createAgentLoop({ toolset, model: settings.model, system: SYSTEM, on }),
    model: settings.model,
    suggestions: EXAMPLES.slice(0, 5),
    describeTool: toolDescriber(toolset),
    onStop: () => denyAll(registry, CONSUMERS.copilot),
  });
  const approvals = h("agent-approvals", { class: "approvals" });
  approvals.strings = { heading: ({ capabilityId, effect }) => `${capabilityTitle(capabilityId, effect)}?` };
  approvals.registry = registry;
  theme.onChange((name) => setAttribute(approvals, "theme", name));
  const { element: catalog } = createCatalog({ registry, store, consumers: seenBy() });
  mountPanel(byId("copilot"), {
    composer: chat.composer,
    views: { chat: chat.element, catalog, audit: createAuditView(audit).element },
    approvals,
    footer: createBrowserTools({ adapter, registry }).element,
    onSettings: settings.show,
    onNew: chat.reset,
    panel,
  });
  registry.confirmations.subscribe(() => {
    const asked = registry.confirmations.pending();
    byId("copilot").classList.toggle("is-asking", asked.length > 0);
    chat.showWaiting(asked.some((record) => record.consumerKey.startsWith("embedded:")));
    // Whoever is asked must see the question.
    if (asked.length > 0) panel.set(true);
  });
}

/** Whoever stops an agent no longer wants what it asked for. */
function denyAll(registry, { kind, id }) {
  for (const { confirmationId, consumerKey } of registry.confirmations.pending()) {
    if (consumerKey === `${kind}:${id}`) registry.confirmations.resolve(confirmationId, { approved: false, reason: "The copilot was stopped" });
  }
}

function seenBy() {
  return [
    { label: "Copilot", consumer: CONSUMERS.copilot, hint: "The agent in this panel." },
    { label: "Browser", consumer: CONSUMERS.browser, hint: "The browser's own agent, over WebMCP. What it changes on the server, a person approves." },
    { label: "Viewer", consumer: CONSUMERS.viewer, hint: "A consumer that may only read: the rest does not exist for it." },
  ];
}

function showFailure(error) {
  console.error(error);
  byId("workspace").classList.add("panel-closed");
  byId("main").replaceChildren(h("div", { class: "boot-failure", role: "alert" }, icon("warning", 32), h("h1", { text: "The console could not start" }), h("p", { class: "mono", text: error.code ?? error.name }), h("p", { text: error.message })));
}

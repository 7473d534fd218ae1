// The inside of one `<agent-approvals>`: which request is shown, when its buttons count, what is said aloud. It decides
// nothing about a request: it hands a person's answer to the registry, and answers only to events of a person.
import { DEFAULT_STRINGS } from "./approvals-strings.js";
import { styleSheet } from "./approvals-style.js";
import { h, hasHidden, longText, reveal, tree } from "./approvals-view.js";

/** The registry's internal hook: `{ connect() → disconnect, describe(id), refused(id, how), now() }`. */
const APPROVER = Symbol.for("agent-surface-wasm.approver");
/** Milliseconds during which a request that just came into view cannot be answered. */
const GUARD_MS = 400;
const MAX_REASON = 500;
/** Refused gestures reported for one request, so that a script cannot flush the audit trail. */
const MAX_REFUSALS = 32;
const NOTE_MS = 8000;
const URGENT_SECONDS = 15;
const SPOKEN_SECONDS = [30, 10];
const KEYS = ["Enter", " ", "Escape"];

const same = (one) => (other) => other.confirmationId === one.confirmationId;

export class Panel {
  #host;
  #root;
  #dialog;
  #content = h("div", {});
  #inner = h("p", { part: "note", role: "status" });
  #outer = h("p", { part: "note", role: "status" });
  #strings = {};
  #registry;
  #hook;
  #release = [];
  #queue = [];
  #shown;
  #request;
  #left;
  #queued = false;
  #refusals = 0;
  #since = Infinity;
  /** Whether the last press began too early, by the type of its event. */
  #early = {};
  /** Where the buttons were in the last frame, and since when. */
  #at = {};
  #still = 0;
  #frame;
  #timer;
  #noteTimer;
  // A request counts as seen from the first frame that has it in view; out of view, nothing can be answered.
  #watch = new IntersectionObserver((entries) => {
    this.#since = entries.at(-1).isIntersecting ? performance.now() : Infinity;
  });

  constructor(host) {
    this.#host = host;
    this.#root = host.attachShadow({ mode: "closed" });
    this.#root.adoptedStyleSheets = [styleSheet()];
    this.#dialog = h("dialog", {
      part: "dialog", role: "alertdialog", closedby: "none", "aria-labelledby": "heading", "aria-describedby": "about",
    }, this.#content, this.#inner);
    this.#dialog.addEventListener("cancel", (event) => event.preventDefault());
    this.#dialog.addEventListener("close", () => this.#open());
    this.#root.append(this.#dialog, this.#outer);
    for (const type of ["click", "keydown", "submit"]) {
      // The host sees what is dispatched on it, the root what does not leave the shadow tree.
      for (const target of [host, this.#root]) target.addEventListener(type, (event) => this.#screen(event), true);
    }
    for (const type of ["pointerdown", "keydown"]) {
      this.#root.addEventListener(type, (event) => this.#begin(event), true);
    }
    this.#root.addEventListener("keydown", (event) => this.#escape(event));
  }

  get strings() {
    return this.#strings;
  }

  set strings(strings) {
    this.#strings = { ...strings };
    if (this.#shown) this.#show(this.#shown);
  }

  get registry() {
    return this.#registry;
  }

  set registry(registry) {
    if (registry && typeof registry.confirmations?.pending !== "function") {
      throw new TypeError("`registry` must be what `createAgentSurfaceRegistry` returned");
    }
    this.disconnect();
    this.#registry = registry ?? undefined;
    this.connect();
  }

  /** Follows the registry while the element is in a document; counts as an approver from here on. */
  connect() {
    const registry = this.#registry;
    if (!registry || !this.#host.isConnected || this.#release.length) return;
    this.#hook = registry[APPROVER];
    const stop = registry.confirmations.subscribe(() => this.#schedule());
    this.#release = [stop, this.#hook?.connect() ?? (() => {})];
    this.#sync();
  }

  disconnect() {
    for (const release of this.#release.splice(0)) release();
    clearTimeout(this.#noteTimer);
    this.#queue = [];
    this.#hide();
  }

  /** Follows the attribute `modal`. */
  reopen() {
    if (this.#shown) this.#open();
  }

  // One render for a burst of changes, and none inside the registry's own call.
  #schedule() {
    if (this.#queued) return;
    this.#queued = true;
    queueMicrotask(() => {
      this.#queued = false;
      if (this.#release.length) this.#sync();
    });
  }

  #sync() {
    const queue = this.#registry.confirmations.pending().filter((record) => !this.#isExpired(record));
    const gone = this.#queue.find((old) => !queue.some(same(old)));
    const next = (this.#shown && queue.find(same(this.#shown))) ?? queue[0];
    this.#queue = queue;
    if (!next) this.#hide();
    else if (next.confirmationId !== this.#shown?.confirmationId) this.#show(next);
    else this.#update();
    if (gone) this.#say(this.#isExpired(gone) ? "saidExpired" : "saidWithdrawn", true);
  }

  /** The clock that set `expiresAt`: a registry may have one of its own. */
  #now() {
    return this.#hook?.now?.() ?? Date.now();
  }

  #isExpired(record) {
    return this.#now() > Date.parse(record.expiresAt);
  }

  #part(name) {
    return this.#root.querySelector(`[part=${name}]`);
  }

  #text(key, count) {
    const string = this.#strings[key] ?? DEFAULT_STRINGS[key];
    return `${typeof string === "function" ? string(this.#request, count) : string}`;
  }

  #say(key, visible, count) {
    const note = this.#dialog.open ? this.#inner : this.#outer;
    note.className = visible ? "" : "sr";
    note.textContent = this.#text(key, count);
    clearTimeout(this.#noteTimer);
    this.#noteTimer = setTimeout(() => {
      this.#inner.textContent = this.#outer.textContent = "";
    }, NOTE_MS);
  }

  #show(record) {
    const inside = this.#root.activeElement;
    const first = !this.#shown;
    this.#since = Infinity;
    this.#early = {};
    this.#shown = record;
    this.#refusals = 0;
    this.#left = undefined;
    const [kind, ...id] = record.consumerKey.split(":");
    const consumer = { id: id.join(":"), kind };
    this.#request = { consumer, description: record.summary, ...record, ...this.#hook?.describe(record.confirmationId) };
    this.#place();
    // Fresh buttons: a press that began on the last request ends on none.
    this.#content.replaceChildren(...this.#render());
    this.#dialog.className = record.effect;
    this.#open();
    this.#update();
    this.#watch.disconnect();
    this.#watch.observe(this.#dialog);
    cancelAnimationFrame(this.#frame);
    this.#follow();
    this.#host.toggleAttribute("pending", true);
    if (first || inside) this.#part("deny").focus();
    else this.#say("saidNext");
  }

  #hide() {
    clearTimeout(this.#timer);
    this.#watch.disconnect();
    cancelAnimationFrame(this.#frame);
    this.#since = Infinity;
    this.#shown = undefined;
    // Closing gives focus back to where it was, if it is still inside.
    this.#dialog.close();
    this.#content.replaceChildren();
    this.#host.toggleAttribute("pending", false);
  }

  #open() {
    if (!this.#shown) return;
    const modal = this.#host.hasAttribute("modal");
    this.#dialog.setAttribute("aria-modal", modal);
    if (this.#dialog.open && this.#dialog.matches(":modal") === modal) return;
    this.#dialog.close();
    if (modal) this.#dialog.showModal();
    else this.#dialog.show();
  }

  #place() {
    const position = this.#queue.findIndex(same(this.#shown)) + 1;
    this.#request = Object.freeze({ ...this.#request, position, total: this.#queue.length });
  }

  #update() {
    this.#place();
    const rest = Date.parse(this.#shown.expiresAt) - this.#now();
    const left = Math.max(0, Math.ceil(rest / 1000));
    this.#part("queue").textContent = this.#text("queue");
    const timer = this.#part("timer");
    timer.textContent = this.#text("expires", left);
    timer.classList.toggle("urgent", left <= URGENT_SECONDS);
    if (this.#left > left && SPOKEN_SECONDS.includes(left)) this.#say("saidLeft", false, left);
    this.#left = left;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#sync(), Math.max(50, (rest % 1000) + 1));
  }

  // What does not count as a person's gesture stops here, before any listener inside.
  #screen(event) {
    if (event.isTrusted || !this.#shown || (event.type === "keydown" && !KEYS.includes(event.key))) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    if (this.#refusals++ >= MAX_REFUSALS) return;
    this.#hook?.refused(this.#shown.confirmationId, event.type);
    this.#say("saidRefused", true);
  }

  // `timeStamp` is monotonic, and says when the person acted, not when a busy page came round to it.
  #counts(event) {
    return event.timeStamp - this.#since >= GUARD_MS;
  }

  #follow() {
    this.#look();
    this.#frame = requestAnimationFrame(() => this.#follow());
  }

  // What moved under a pointer that stands still was not aimed at: an agent's actions may move the page's layout.
  #look() {
    const { x, y } = this.#part("approve").getBoundingClientRect();
    if (x === this.#at.x && y === this.#at.y) return;
    this.#at = { x, y };
    this.#still = performance.now();
  }

  // A press that began too early does not count when it ends, typing that runs on keeps the guard up, and a key held
  // down is one press.
  #begin(event) {
    const { key, type } = event;
    if (!this.#shown) return;
    if (!key) this.#look();
    const early = !this.#counts(event) || (!key && event.timeStamp - this.#still < GUARD_MS);
    this.#early[type] = early;
    if (early && key?.length === 1 && this.#since < Infinity) this.#since = event.timeStamp;
    if (event.repeat && event.target.localName === "button" && KEYS.includes(key)) event.preventDefault();
  }

  #escape(event) {
    if (event.key !== "Escape" || event.isComposing || !this.#shown) return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat) this.#decide(false, event);
  }

  #decide(approved, event) {
    const record = this.#shown;
    // A click that a key makes has no count.
    const press = event.detail ? "pointerdown" : "keydown";
    const early = this.#early[press];
    this.#early[press] = false;
    if (!event.isTrusted || early || !this.#counts(event)) return;
    this.#sync();
    if (this.#shown !== record) return;
    const { confirmationId } = record;
    const reason = this.#part("reason").value.trim().toWellFormed();
    try {
      this.#registry.confirmations.resolve(confirmationId, reason ? { approved, reason } : { approved });
    } finally {
      this.#sync();
    }
    this.#say(approved ? "saidApproved" : "saidDenied");
    this.#host.dispatchEvent(
      new CustomEvent("agent-approval", { bubbles: true, composed: true, detail: { confirmationId, approved } }),
    );
  }

  #render() {
    const { description, summary, input, callerGone } = this.#request;
    const text = (key, count) => this.#text(key, count);
    const heading = text("heading");
    const part = (name, ...content) => h("div", { part: name }, ...content);
    const about = h("div", { id: "about" },
      h("div", { class: "row" }, h("span", { part: "badge" }, text("effect")), h("span", { part: "warning" }, text("warning"))));
    if (summary !== heading) about.append(part("summary", longText(summary, text)));
    if (description !== heading && description !== summary) about.append(part("description", longText(description, text)));
    if (callerGone) about.append(part("gone", text("callerGone")));
    about.append(this.#facts());
    return [
      h("header", {}, h("span", { part: "eyebrow" }, text("eyebrow")), h("span", { part: "queue" }),
        h("span", { part: "timer", role: "timer" })),
      h("h2", { part: "heading", id: "heading" }, reveal(heading, text)),
      about,
      h("h3", { id: "input" }, text("input")),
      h("div", { part: "input", role: "group", tabindex: 0, "aria-labelledby": "input" }, tree(input ?? {}, text)),
      hasHidden(input) ? part("invisible", text("invisible")) : "",
      this.#reason(),
      this.#actions(),
    ];
  }

  #facts() {
    const { capabilityId, consumer, instanceId } = this.#request;
    const facts = h("dl", { part: "facts" });
    const fact = (key, ...content) => facts.append(h("dt", {}, this.#text(key)), h("dd", {}, ...content));
    fact("askedBy", h("b", { part: "consumer" }, reveal(consumer.id)), " · ", this.#text("consumerKind"));
    fact("action", h("code", { part: "capability" }, reveal(capabilityId)));
    if (instanceId) fact("instance", h("code", { part: "instance" }, reveal(instanceId)));
    return facts;
  }

  #reason() {
    const input = h("input", { part: "reason", id: "reason", type: "text", maxlength: MAX_REASON, autocomplete: "off" });
    return h("div", { class: "field" }, h("label", { for: "reason" }, this.#text("reason")), input);
  }

  #actions() {
    const button = (part, approved, attributes) => {
      const element = h("button", { part, type: "button", ...attributes }, this.#text(part));
      element.addEventListener("click", (event) => this.#decide(approved, event));
      return element;
    };
    return h("footer", { part: "actions" }, h("span", { part: "hint" }, this.#text("hint")),
      button("deny", false, { autofocus: "" }), button("approve", true));
  }
}

// What one hook has registered: a component for each definition of the last commit. Rendering only compares; the phases
// of React's commit do the rest, in an order in which every component that goes is gone before one comes.

import { afterCommit } from "./react-commits.js";
import { copyDefinition, sameStructure, swap } from "./react-content.js";

/** The hooks that have something in a registry: where one lets go of an instance, another may have been waiting for it. */
const holders = new WeakMap();

const report = (error) => (globalThis.reportError ?? console.error)(error);

/** The person's page stands, whatever is wrong with what is for agents; the page's error handlers hear of it. */
const attempt = (act) => {
  try {
    return act();
  } catch (error) {
    return void report(error);
  }
};

const idOf = (definition) => `${definition?.type}\n${definition?.instanceId ?? "default"}`;

const never = new Promise(() => undefined);

/** One definition while it is on the page. */
class Item {
  constructor(row, live, commits) {
    this.row = row;
    this.commits = commits;
    /** Calls whose handlers are done, and which wait for a commit. */
    this.ends = new Set();
    this.isOver = false;
    this.isOn = live.enabled !== false;
    this.live = live;
    this.copy = copyDefinition(live);
    this.wrapActions();
    this.handle = undefined;
  }

  wrapActions() {
    const { actions = {} } = this.copy;
    for (const name of Object.keys(actions)) {
      const action = actions[name];
      // What is no function the registry refuses, with its own words.
      if (typeof action?.execute === "function" && action !== this.live.actions[name]) action.execute = this.executor(name);
    }
  }

  executor(name) {
    return (input, context) => {
      // Its turn came as the one before it was ended, and the component is on its way out.
      if (this.isOver) return never;
      return afterCommit(this.commits, this.ends, this.live.actions[name].execute(input, context));
    };
  }

  swap(live) {
    if (live === this.live) return;
    this.live = live;
    swap(this.copy, live);
    this.wrapActions();
  }

  register(registry) {
    this.isOver = false;
    this.isOn = this.live.enabled !== false;
    this.copy.enabled = this.live.enabled;
    this.handle = attempt(() => registry.register(this.copy));
  }

  /** A flag that moves is pushed: the registration, and what runs in it, stays. */
  push() {
    const isOn = this.live.enabled !== false;
    if (isOn === this.isOn) return;
    this.isOn = isOn;
    attempt(() => this.handle?.update({ enabled: isOn }));
  }

  /** Whether there was something to unregister. */
  unregister() {
    this.isOver = true;
    return attempt(() => {
      for (const end of [...this.ends]) end();
      const isActive = this.handle?.status === "active";
      if (isActive) this.handle.unregister();
      return isActive;
    });
  }
}

const NONE = [];

export class Mounts {
  constructor() {
    this.surface = undefined;
    /** Of the last commit: `{ key, id, structure }`, and the definitions with their newest functions. */
    this.rows = NONE;
    this.lives = NONE;
    this.items = new Map();
    /** What `useAgentComponent` gives: always that of the registration there is. */
    this.handle = this.makeHandle();
  }

  makeHandle() {
    const current = () => this.items.values().next().value?.handle;
    return {
      get registrationId() {
        return current()?.registrationId ?? "";
      },
      get status() {
        return current()?.status ?? "unregistered";
      },
      update: (change) => current()?.update(change),
      invalidate: () => current()?.invalidate(),
    };
  }

  /** In render: rows for these definitions, and the very rows of the last commit where nothing differs. */
  compare(definitions) {
    const counts = new Map();
    const known = new Map(this.rows.map((row) => [row.key, row]));
    const rows = definitions.map((definition) => {
      const id = idOf(definition);
      const count = (counts.get(id) ?? 0) + 1;
      counts.set(id, count);
      const key = `${id}\n${count}`;
      const row = known.get(key);
      return row && sameStructure(row.structure, definition) ? row : { key, id, structure: definition };
    });
    return rows.length === this.rows.length && rows.every((row, at) => row === this.rows[at]) ? this.rows : rows;
  }

  /** Before anything of the commit goes or comes: what stays runs the newest functions. */
  commit(rows, lives) {
    this.rows = rows;
    this.lives = lives;
    rows.forEach((row, at) => {
      const item = this.items.get(row.key);
      if (item?.row === row) item.swap(lives[at]);
    });
  }

  open(surface) {
    this.surface = surface;
    const others = holders.get(surface.registry) ?? new Set();
    holders.set(surface.registry, others.add(this));
    this.add();
  }

  /** Everything goes: the hook's component does, or is hidden, or another registry took the place of this one. */
  close() {
    for (const item of this.items.values()) this.remove(item);
    holders.get(this.surface.registry)?.delete(this);
    this.surface = undefined;
  }

  add() {
    if (!this.surface) return;
    this.rows.forEach((row, at) => {
      if (this.items.has(row.key)) return;
      const item = new Item(row, this.lives[at], this.surface.commits);
      this.items.set(row.key, item);
      item.register(this.surface.registry);
    });
  }

  /** What is no more, or is another one by content. */
  removeStale() {
    for (const item of this.items.values()) if (!this.rows.includes(item.row)) this.remove(item);
  }

  remove(item) {
    this.items.delete(item.row.key);
    if (!item.unregister()) return;
    const { registry } = this.surface;
    const others = holders.get(registry);
    // When all that goes or comes in this commit has.
    queueMicrotask(() => others.forEach((other) => other.retry(registry, item.row.id)));
  }

  /** An instance was let go of: whoever was refused it may have it. */
  retry(registry, id) {
    if (this.surface?.registry !== registry) return;
    for (const item of this.items.values()) {
      if (item.row.id === id && item.handle && item.handle.status !== "active") item.register(registry);
    }
  }

  push() {
    for (const item of this.items.values()) item.push();
  }
}

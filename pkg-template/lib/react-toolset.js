// One toolset object for the life of a component: it lists nothing while there is no registry, and whoever subscribed
// stays subscribed when another toolset takes the place of the first.

const NONE = Object.freeze([]);

export class LiveToolset {
  constructor() {
    this.toolset = undefined;
    this.subscriptions = new Set();
    this.face = {
      tools: () => this.toolset?.tools() ?? NONE,
      wireNameMap: () => this.toolset?.wireNameMap() ?? new Map(),
      subscribe: (listener) => this.subscribe(listener),
    };
  }

  subscribe(listener) {
    if (typeof listener !== "function") throw new TypeError("`subscribe` expects a function");
    // An object of its own: a toolset knows listeners by identity, and here each subscription counts.
    const subscription = { tell: (tools) => listener(tools), end: undefined };
    this.subscriptions.add(subscription);
    subscription.end = this.toolset?.subscribe(subscription.tell);
    return () => {
      if (this.subscriptions.delete(subscription)) subscription.end?.();
    };
  }

  open(toolset) {
    this.toolset = toolset;
    for (const subscription of this.subscriptions) subscription.end = toolset.subscribe(subscription.tell);
    this.announce();
  }

  close() {
    this.toolset.dispose();
    this.toolset = undefined;
    this.announce();
  }

  announce() {
    const tools = this.face.tools();
    for (const { tell } of [...this.subscriptions]) {
      try {
        tell(tools);
      } catch (error) {
        console.error(error);
      }
    }
  }
}

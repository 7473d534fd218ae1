// `<agent-approvals>`: shows what waits for a person's approval in one registry and takes the answer. The class is made
// when it is defined, so that importing touches no browser global. `init()` defines it where a `document` exists.
import { Panel } from "./approvals-panel.js";

function createClass() {
  return class AgentApprovals extends HTMLElement {
    static observedAttributes = ["modal"];
    #panel = new Panel(this);

    get registry() {
      return this.#panel.registry;
    }

    set registry(registry) {
      this.#panel.registry = registry;
    }

    get strings() {
      return this.#panel.strings;
    }

    set strings(strings) {
      this.#panel.strings = strings;
    }

    connectedCallback() {
      for (const name of ["strings", "registry"]) {
        // Set before the element was defined, the value sits on the element and hides the accessor.
        if (!Object.hasOwn(this, name)) continue;
        const value = this[name];
        delete this[name];
        this[name] = value;
      }
      this.#panel.connect();
    }

    disconnectedCallback() {
      this.#panel.disconnect();
    }

    attributeChangedCallback() {
      this.#panel.reopen();
    }
  };
}

/** Defines the element once; outside a browser, and for a name that is taken, it does nothing. */
export function defineAgentApprovals(name = "agent-approvals") {
  if (typeof customElements !== "undefined" && !customElements.get(name)) customElements.define(name, createClass());
}

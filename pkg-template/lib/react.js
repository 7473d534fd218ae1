// React's side of the library: components register while they are on the page, and what they say to agents follows
// their state. Everything happens in the phases of a commit: nothing on a server, nothing for a render that is dropped.

import { createContext, createElement, useContext, useEffect, useInsertionEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { createAgentToolset } from "#core";
import { Commits } from "./react-commits.js";
import { same } from "./react-content.js";
import { Mounts } from "./react-mounts.js";
import { LiveToolset } from "./react-toolset.js";

const { freeze } = Object;
const NONE = freeze([]);

/** React says that a layout effect does nothing on a server; there this one is another that does nothing. */
const useCommitEffect = typeof document === "undefined" ? useEffect : useLayoutEffect;

/** `{ registry, commits }`; `registry` is undefined until there is one. */
const Surface = /* @__PURE__ */ createContext(undefined);

const useSurface = () => {
  const surface = useContext(Surface);
  if (!surface) throw new Error("The hooks of `agent-surface-wasm/react` need an `<AgentSurfaceProvider>` above them.");
  return surface;
};

/** A registry, or an error in words: React would tell of whatever breaks on it first. */
const checked = (value) => {
  if (typeof value?.register === "function") return value;
  const found = typeof value?.then === "function" ? "a promise: pass the function that makes it, without a call" : typeof value;
  throw new TypeError(`\`registry\` of <AgentSurfaceProvider> must be a registry, or a function that makes one; it is ${found}`);
};

/** The registry that a function makes, from the first effect on. It ends with the provider. */
const useMade = (make) => {
  const [made, setMade] = useState({});
  const isMade = typeof make === "function";
  useEffect(() => {
    if (!isMade) return undefined;
    let isOver = false;
    let own;
    const start = async () => {
      try {
        own = checked(await make());
        if (isOver) own.dispose();
        else setMade({ registry: own });
      } catch (error) {
        if (!isOver) setMade({ error });
      }
    };
    start();
    return () => {
      isOver = true;
      setMade({});
      own?.dispose();
    };
    // Made once for each mount, whatever function a later render brings.
  }, [isMade]);
  if (made.error) throw made.error;
  if (isMade) return made.registry;
  return make == null ? undefined : checked(make);
};

export function AgentSurfaceProvider({ registry: given, children }) {
  const registry = useMade(given);
  const [commits] = useState(() => new Commits());
  const [shown, render] = useState(0);
  useCommitEffect(() => {
    commits.render = render;
    return () => commits.close();
  }, [commits]);
  useCommitEffect(() => commits.done(shown), [commits, shown]);
  const surface = useMemo(() => ({ registry, commits }), [registry, commits]);
  return createElement(Surface.Provider, { value: surface }, children);
}

export const useAgentSurface = () => useSurface().registry;

/** `structures` are what is compared, `lives` what runs: the same, or older ones. */
const useMounts = (structures, lives) => {
  const surface = useSurface();
  const [mounts] = useState(() => new Mounts());
  const rows = mounts.compare(structures);
  useInsertionEffect(() => mounts.commit(rows, lives));
  // Takes everything away, whatever happened to the effect below: a component may be changed and hidden in one commit.
  useCommitEffect(() => {
    if (!surface.registry) return undefined;
    mounts.open(surface);
    return () => mounts.close();
  }, [mounts, surface]);
  useCommitEffect(() => {
    mounts.add();
    return () => mounts.removeStale();
  }, [mounts, rows]);
  useCommitEffect(() => mounts.push());
  return mounts.handle;
};

const listOf = (definition) => (definition ? [definition] : NONE);

export const useAgentComponent = (definition, deps) => {
  const isMade = typeof definition === "function";
  const compared = useMemo(isMade ? definition : () => definition, deps);
  return useMounts(listOf(compared), listOf(isMade || !definition || !compared ? compared : definition));
};

export const useAgentCapabilities = (definitions) => {
  const all = definitions.filter(Boolean);
  useMounts(all, all);
};

const noChange = () => () => undefined;
const nothing = () => NONE;

/** A store for React: the same list while the same requests wait. */
const pendingOf = (registry) => {
  if (!registry) return [noChange, nothing];
  let list = NONE;
  const look = () => {
    const now = registry.confirmations.pending();
    const isSame = now.length === list.length && now.every(({ confirmationId }, at) => confirmationId === list[at].confirmationId);
    return isSame ? list : (list = now);
  };
  return [registry.confirmations.subscribe, look];
};

export const usePendingConfirmations = () => {
  const { registry } = useSurface();
  const [subscribe, look] = useMemo(() => pendingOf(registry), [registry]);
  return useSyncExternalStore(subscribe, look, nothing);
};

/** The value of the last commit that has this content. */
const useSame = (value) => {
  const held = useRef(value);
  const shown = same(held.current, value) ? held.current : value;
  useInsertionEffect(() => {
    held.current = shown;
  });
  return shown;
};

export const useToolset = (options) => {
  const { registry } = useSurface();
  const [live] = useState(() => new LiveToolset());
  const wanted = useSame(options);
  useCommitEffect(() => {
    if (!registry) return undefined;
    live.open(createAgentToolset(registry, wanted));
    return () => live.close();
  }, [live, registry, wanted]);
  return live.face;
};

export function AgentApprovals({ strings, onDecision, modal, className, ...attributes }) {
  const { registry } = useSurface();
  const element = useRef(null);
  const decided = useRef(onDecision);
  const words = useSame(strings);
  useInsertionEffect(() => {
    decided.current = onDecision;
  });
  useCommitEffect(() => {
    const { current } = element;
    const tell = ({ detail }) => decided.current?.(detail);
    current.addEventListener("agent-approval", tell);
    return () => current.removeEventListener("agent-approval", tell);
  }, []);
  useCommitEffect(() => {
    element.current.strings = words;
  }, [words]);
  useCommitEffect(() => {
    const { current } = element;
    current.registry = registry;
    // Hidden with its part of the page, it shows nobody anything.
    return () => {
      current.registry = undefined;
    };
  }, [registry]);
  return createElement("agent-approvals", { ...attributes, ref: element, class: className, modal: modal ? "" : undefined });
}

/**
 * React 18 and 19: components register while they are on the page. The entry `agent-surface-wasm/react`; `init` and the
 * rest come from the app's own entry.
 *
 * What agents see follows React's commits. A component is there before the page is painted with it, and gone with it,
 * also while Suspense hides it; a render that is dropped leaves no trace. On a server nothing happens, and the markup is
 * the same.
 */

import type { CSSProperties, DependencyList, ReactElement, ReactNode } from "react";
import type { AgentApprovalsStrings } from "./approvals.js";
import type { PendingConfirmation } from "./confirmation.js";
import type { AgentComponentDefinition } from "./definition.js";
import type { AgentRegistrationHandle, AgentSurfaceRegistry } from "./registry.js";
import type { AgentToolset, AgentToolsetOptions } from "./toolset.js";

/** Nothing, as conditions leave it: `isAdmin && {…}`. */
export type Nothing = false | null | undefined;

/** What the provider takes. */
export interface AgentSurfaceProviderProps {
  /**
   * A registry, nothing yet, or a function that makes one. The function runs in the browser only, after the first paint,
   * once for each mount of the provider, which disposes what it made when it goes; what it throws goes to the error
   * boundary. A registry that is passed in is left to whoever made it.
   */
  readonly registry: AgentSurfaceRegistry | Nothing | (() => AgentSurfaceRegistry | PromiseLike<AgentSurfaceRegistry>);
  readonly children?: ReactNode;
}

/**
 * Gives the components below it the registry.
 *
 * @example
 * const makeRegistry = async () => {
 *   await init();
 *   return createAgentSurfaceRegistry({ environment: "development" });
 * };
 *
 * root.render(
 *   <AgentSurfaceProvider registry={makeRegistry}>
 *     <App />
 *     <AgentApprovals />
 *   </AgentSurfaceProvider>,
 * );
 */
export declare function AgentSurfaceProvider(props: AgentSurfaceProviderProps): ReactElement;

/** The provider's registry; `undefined` on a server and until there is one. Throws outside a provider. */
export declare function useAgentSurface(): AgentSurfaceRegistry | undefined;

/**
 * The registration of a component that is on the page, the same object for the life of the hook. Before the first effect
 * `registrationId` is `""` and `status` is `"unregistered"`, and the functions do nothing.
 *
 * What `update` pushes belongs to the registration and goes with it. `when` and `enabled` of the definition follow the
 * state by themselves.
 */
export type AgentComponentHandle = Pick<AgentRegistrationHandle, "registrationId" | "status" | "update" | "invalidate">;

/**
 * Exposes a component while the React component is on the page.
 *
 * Write the definition where the state is. It is compared by content: a render that says the same registers nothing, and
 * its functions take the place of the last commit's, so that each call runs the newest. `enabled` is pushed. Where
 * anything else differs (a description, a schema, a name), one registration ends and another begins, so what changes often
 * belongs into an observation. Functions in `policies` are swapped, too; `rateLimit` keeps its count. Schemas are compared
 * by their `jsonSchema`, and the first is kept.
 *
 * An action's result is given when React has committed what the action set (not inside `act`), so that the next call and
 * the next observation find it. `startTransition` is not waited for.
 *
 * `deps` are for a definition that is costly to make or to compare: a function makes it again, as in `useMemo`, when they
 * differ, and its closures are as old as that; an object is compared only then, and its functions are always the newest.
 * A definition that the registry refuses leaves the page as it is and goes to `reportError`. Instances that are refused as
 * duplicates are tried again when a component of these hooks lets go of theirs.
 *
 * @example
 * function Counter() {
 *   const [count, setCount] = useState(0);
 *   useAgentComponent({
 *     type: "app.counter",
 *     description: "A counter.",
 *     observations: {
 *       value: observation({ description: "Its value.", output: fromJsonSchema({ type: "integer" }), read: () => count }),
 *     },
 *     actions: {
 *       increment: action({
 *         description: "Adds one.",
 *         input: emptyObjectSchema,
 *         effect: "local-state",
 *         execute: () => setCount(count + 1),
 *       }),
 *     },
 *   });
 *   return <output>{count}</output>;
 * }
 */
export declare function useAgentComponent(
  definition: AgentComponentDefinition | Nothing | (() => AgentComponentDefinition | Nothing),
  deps?: DependencyList,
): AgentComponentHandle;

/**
 * Exposes a list of components that varies, such as one for each row. They are told apart by `type` and `instanceId`:
 * those that come register, those that go unregister, the others stay, with the newest functions; see `useAgentComponent`.
 *
 * @example
 * useAgentCapabilities(
 *   todos.map((todo) => ({
 *     type: "todos.item",
 *     instanceId: todo.id,
 *     description: "A task of the list.",
 *     actions: {
 *       toggle: action({
 *         description: "Marks it as done, or as open.",
 *         input: emptyObjectSchema,
 *         effect: "local-state",
 *         execute: () => toggle(todo.id),
 *       }),
 *     },
 *   })),
 * );
 */
export declare function useAgentCapabilities(definitions: readonly (AgentComponentDefinition | Nothing)[]): void;

/**
 * What waits for a person's approval, oldest first; the component renders again when that changes. Like every listener, it
 * counts as someone who could approve.
 *
 * @example
 * const registry = useAgentSurface();
 * const pending = usePendingConfirmations();
 * return pending.map(({ confirmationId, summary }) => (
 *   <button
 *     key={confirmationId}
 *     onClick={(event) => event.isTrusted && registry?.confirmations.resolve(confirmationId, { approved: true })}
 *   >
 *     {summary}
 *   </button>
 * ));
 */
export declare function usePendingConfirmations(): readonly PendingConfirmation[];

/** A toolset that lives as long as its component. */
export type MountedToolset = Pick<AgentToolset, "tools" | "wireNameMap" | "subscribe">;

/**
 * A toolset for an agent loop in the page: the same object for the life of the hook, so that it can be used in effects and
 * event handlers. It lists nothing until there is a registry. Options are compared by content; others make another toolset
 * and end the waits of the first. Call `tools()` when a turn begins: the list is that of the page as it is then.
 *
 * @example
 * const toolset = useToolset({ consumer: { id: "copilot", kind: "embedded" }, topology: "embedded" });
 * const send = async (text: string) => agent.run(text, toolset.tools());
 * // Only to show them:
 * const tools = useSyncExternalStore(toolset.subscribe, toolset.tools, toolset.tools);
 */
export declare function useToolset(options: AgentToolsetOptions): MountedToolset;

/** What `AgentApprovals` takes; other attributes go to the element. */
export interface AgentApprovalsProps {
  /** Keeps the page behind it inert while something waits. */
  readonly modal?: boolean;
  /** The system's when absent. */
  readonly theme?: "light" | "dark";
  readonly dir?: "ltr" | "rtl" | "auto";
  /** Replaces texts; what is left out keeps the default. Functions that differ only in what they close over are not swapped. */
  readonly strings?: Partial<AgentApprovalsStrings> | undefined;
  /** After each decision. */
  readonly onDecision?: (decision: { readonly confirmationId: string; readonly approved: boolean }) => void;
  readonly className?: string;
  readonly id?: string;
  readonly style?: CSSProperties;
}

/** `<agent-approvals>`, bound to the provider's registry. */
export declare function AgentApprovals(props: AgentApprovalsProps): ReactElement;

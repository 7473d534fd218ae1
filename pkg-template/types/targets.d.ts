/**
 * Tools for model SDKs. The entry `agent-surface-wasm/targets`, with a module of its own (about 53 kB, brotli).
 *
 * A projection turns a toolset into what an SDK takes, and what the SDK gives back into calls and results. The surface
 * validates every call with the tool's own schema, whatever the target was told.
 */

import type { InitOptions } from "./init.js";
import type { InvocationResult } from "./invocation.js";
import type { JsonObject, JsonValue } from "./json.js";
import type { AgentTool } from "./toolset.js";

/**
 * Loads the module of the projections, once. May be called any number of times; after a failure, call it again. Rejects
 * with an `AgentSurfaceRuntimeError` that says what to do (`WASM_BLOCKED_BY_CSP`, `WASM_NOT_SERVED`).
 */
export declare function initTargets(options?: InitOptions): Promise<void>;

/** A schema as the target takes it. */
export type TargetSchema = { [keyword: string]: unknown };

/** A JSON Schema for an object, as the target takes it. */
export type TargetObjectSchema = { type: "object"; [keyword: string]: unknown };

/** Anthropic Messages: `tools`. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: TargetObjectSchema;
  strict?: boolean;
}

/** Anthropic Messages: the user message that answers all calls of a turn. It goes first, right after the assistant's. */
export interface AnthropicResults {
  role: "user";
  content: { type: "tool_result"; tool_use_id: string; content: string; is_error?: boolean }[];
}

/** OpenAI Responses: `tools`. */
export interface OpenAIResponsesTool {
  type: "function";
  name: string;
  description: string;
  parameters: TargetSchema;
  strict: boolean;
}

/** OpenAI Responses: an item of `input`. */
export interface OpenAIResponsesResult {
  type: "function_call_output";
  call_id: string;
  output: string;
}

/** OpenAI Chat Completions: `tools`. */
export interface OpenAIChatTool {
  type: "function";
  function: { name: string; description: string; parameters: TargetSchema; strict?: boolean };
}

/** OpenAI Chat Completions: a message. */
export interface OpenAIChatResult {
  role: "tool";
  tool_call_id: string;
  content: string;
}

/** Gemini: `config.tools`. */
export interface GeminiTools {
  functionDeclarations: { name: string; description: string; parameters?: TargetSchema; parametersJsonSchema?: unknown }[];
}

/** Gemini: the content that answers all calls of a turn. */
export interface GeminiResults {
  role: "user";
  parts: { functionResponse: { id?: string; name: string; response: { [key: string]: unknown } } }[];
}

/** Vercel AI SDK: a tool that runs here. Without `execute`, it is one that the client runs. */
export interface AISDKTool {
  type: "dynamic";
  description: string;
  /** A Standard Schema, which the SDK also knows as its own. `jsonSchema` is what a page sends to a server with its chat. */
  inputSchema: {
    readonly jsonSchema: TargetObjectSchema;
    readonly "~standard": {
      readonly version: 1;
      readonly vendor: string;
      readonly validate: (value: unknown) => { readonly value: unknown };
      readonly jsonSchema: {
        readonly input: () => { [keyword: string]: unknown };
        readonly output: () => { [keyword: string]: unknown };
      };
    };
  };
  strict?: boolean;
  /** The surface's result, as a part of a message has it. The model reads what `toModelOutput` makes of it. */
  execute(input: unknown, call?: { toolCallId?: string; abortSignal?: AbortSignal }): Promise<InvocationResult>;
  toModelOutput(result: { toolCallId: string; input?: unknown; output: unknown }): AISDKOutput;
}

/** Vercel AI SDK: what the model reads. */
export type AISDKOutput =
  | { type: "text"; value: string }
  | { type: "json"; value: JsonValue }
  | { type: "error-json"; value: JsonValue }
  | { type: "execution-denied"; reason?: string };

/** Vercel AI SDK: a message with the results of a turn. */
export interface AISDKResults {
  role: "tool";
  content: { type: "tool-result"; toolCallId: string; toolName: string; output: AISDKOutput }[];
}

/** Vercel AI SDK: what `addToolOutput` of `useChat` takes. Do not await it inside `onToolCall`. */
export type AISDKChatOutput =
  | { tool: string; toolCallId: string; output: JsonValue }
  | { tool: string; toolCallId: string; state: "output-error"; errorText: string };

/** LangChain: for `bindTools`. */
export interface LangChainTool {
  name: string;
  description: string;
  schema: TargetObjectSchema;
}

/** LangChain: the fields of a `ToolMessage`. */
export interface LangChainResult {
  type: "tool";
  tool_call_id: string;
  name: string;
  content: string;
  status: "success" | "error";
}

/** assistant-ui: a frontend tool, for a toolkit or a model context. */
export interface AssistantUITool {
  type: "frontend";
  description: string;
  parameters: TargetObjectSchema;
  /** Resolves to a `ToolResponse` of assistant-ui. */
  execute(
    args: any,
    call?: { toolCallId?: string; abortSignal?: AbortSignal },
  ): Promise<{ result: JsonValue; isError: boolean }>;
}

/** assistant-ui: a result. */
export interface AssistantUIResult {
  toolCallId: string;
  toolName: string;
  result: JsonValue;
  isError: boolean;
}

/** AG-UI: `tools` of a run. */
export interface AGUITool {
  name: string;
  description: string;
  parameters: TargetSchema;
}

/** AG-UI: a message of the next run. */
export interface AGUIResult {
  id: string;
  role: "tool";
  toolCallId: string;
  content: string;
  error?: string;
}

/** MCP: an item of `tools/list`. */
export interface McpTool {
  name: string;
  title?: string;
  description: string;
  inputSchema: TargetObjectSchema;
  outputSchema?: TargetObjectSchema;
  annotations?: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean };
}

/**
 * MCP: the result of `tools/call`, or the error of the protocol for a tool that there is not. `resultType` is there where
 * the request says in its `_meta` that it speaks the revision of 2026-07-28: a call that needs a person is then answered with a
 * request for input, which the client sends again once the person has decided in the page. What that request carries
 * approves nothing; it names the question, and evidence binds to caller, capability and arguments, is used once and expires.
 */
export type McpResult =
  | { content: { type: "text"; text: string }[]; structuredContent?: JsonObject; isError?: boolean; resultType?: "complete" }
  | McpInputRequired
  | { error: { code: -32602; message: string } };

/** MCP: the answer that asks for a person, to clients that can ask theirs (`elicitation`). */
export interface McpInputRequired {
  resultType: "input_required";
  inputRequests: {
    approval: {
      method: "elicitation/create";
      params: { mode: "form"; message: string; requestedSchema: { type: "object"; properties: {} } };
    };
  };
  requestState: string;
}

/** Chrome's `LanguageModel`: `tools`. `execute` is there where the browser calls tools itself. */
export interface LanguageModelTool {
  name: string;
  description: string;
  inputSchema: TargetObjectSchema;
  execute?(...args: any[]): Promise<string>;
}

/** Chrome's `LanguageModel`: the message that answers calls. `value` is of the browser's own class, where that exists. */
export interface LanguageModelResults {
  role: "user";
  content: { type: "tool-response"; value: object }[];
}

/** What each target takes (`tools`) and gets back (`message`). */
export interface Targets {
  anthropic: { tools: AnthropicTool[]; message: AnthropicResults };
  "openai-responses": { tools: OpenAIResponsesTool[]; message: OpenAIResponsesResult };
  "openai-chat": { tools: OpenAIChatTool[]; message: OpenAIChatResult };
  gemini: { tools: GeminiTools[]; message: GeminiResults };
  "ai-sdk": { tools: { [name: string]: AISDKTool }; message: AISDKResults; output: AISDKChatOutput };
  langchain: { tools: LangChainTool[]; message: LangChainResult };
  "assistant-ui": { tools: { [name: string]: AssistantUITool }; message: AssistantUIResult };
  "ag-ui": { tools: AGUITool[]; message: AGUIResult };
  mcp: { tools: McpTool[]; message: McpResult };
  "language-model": { tools: LanguageModelTool[]; message: LanguageModelResults };
}

/** The name of a target. */
export type TargetName = keyof Targets;

/** Parts, messages, calls or events, in a list. */
type Listed = readonly object[];

/**
 * What `answer` takes for each target, as the SDKs have it: a response, a message, a part, or a list of these. JSON that came from
 * elsewhere (`unknown`) has to be said to be one.
 */
export interface TargetAnswers {
  anthropic: { readonly content: string | Listed } | { readonly type: string } | Listed;
  "openai-responses": { readonly output: Listed } | { readonly type?: string } | Listed;
  "openai-chat": { readonly choices: Listed } | { readonly message: object } | { readonly role: string } | { readonly function: object } | Listed;
  gemini: { readonly candidates?: Listed } | { readonly parts?: Listed } | { readonly functionCall?: object } | Listed;
  "ai-sdk": { readonly toolCallId: string } | { readonly toolCalls: Listed } | { readonly role: string } | { readonly parts: Listed } | Listed;
  langchain: { readonly tool_calls?: Listed } | { readonly name: string; readonly args: unknown } | Listed;
  "assistant-ui": { readonly toolCallId: string } | { readonly content: Listed } | { readonly role: string } | Listed;
  "ag-ui": { readonly type: string } | { readonly role: string } | { readonly messages: Listed } | Listed;
  mcp: { readonly params: object } | { readonly name: string };
  "language-model": { readonly type: string } | Listed;
}

/**
 * What was given, with ids that the target takes back: of a LangChain message its two lists of calls, of the events of an AG-UI
 * run its calls as `toolCalls` has them.
 */
export type TargetHistory<Name extends TargetName, Given> = Name extends "langchain"
  ? Partial<Given>
  : Name extends "ag-ui"
    ? Given extends { readonly role: string } | readonly { readonly role: string }[]
      ? Given
      : { id: string; type: "function"; function: { name: string; arguments: string } }[]
    : Given;

/** What a projection reads of a toolset. */
export interface ProjectedToolset {
  tools(): readonly AgentTool[];
  wireNameMap?(): ReadonlyMap<string, string>;
}

/** What the page says about a tool for a target. */
export interface TargetToolOptions {
  /** Asks for a strict schema, where the target has that and the tool's schema has such a form. */
  readonly strict?: boolean;
  /** Of more tools than the target takes, the lowest stay out; 0 when absent. Of equals, the last. */
  readonly priority?: number;
  /** For MCP. */
  readonly title?: string;
  /** For MCP: of the output, as the capability declares it. */
  readonly outputSchema?: object;
  /** For MCP's hints, instead of the effect in the tool's label. */
  readonly effect?: string;
  readonly idempotent?: boolean;
}

/** How tools are projected. */
export interface ProjectOptions<Name extends TargetName = TargetName> {
  readonly target: Name;
  /**
   * What schemas may say, instead of what the target is known for. Targets that pass tools on to some provider (`ai-sdk`,
   * `langchain`, `assistant-ui`, `ag-ui`, `language-model`) get what every provider takes, `portable`; name the provider and
   * they keep more. `gemini-json` sends `parametersJsonSchema` in place of `parameters`.
   */
  readonly schema?: "anthropic" | "openai" | "gemini" | "gemini-json" | "portable" | "json-schema";
  /** By the tool's name or its capability id. */
  readonly tools?: { readonly [nameOrCapabilityId: string]: TargetToolOptions };
  /** 128 for OpenAI, else unbounded. */
  readonly maxTools?: number;
  /** The most strict tools: 10 for Anthropic, whose grammar for all of them is bounded, else unbounded. */
  readonly maxStrict?: number;
  /** A toolset in meta mode over the same surface: offered where not all tools have room, so that the rest can be reached. */
  readonly meta?: ProjectedToolset;
  /**
   * Calls of tools that this toolset does not have: answered as unknown (`"answer"`, so that each call has a result), left
   * to somebody else (`"ignore"`), or left for these names. `"ignore"` when absent for `ai-sdk`, `assistant-ui` and `ag-ui`,
   * where servers have tools in the same conversation, else `"answer"`.
   */
  readonly others?: "answer" | "ignore" | readonly string[];
}

/** One difference between a tool's schema and what the target gets. */
export interface TargetLoss {
  readonly tool: string;
  /** JSON Pointer (RFC 6901) into the tool's schema. */
  readonly pointer: string;
  readonly keyword: string;
  /**
   * `rewritten`: other words, the same values. `weakened`: the target's schema accepts more. `narrowed`: it accepts less.
   * `omitted`: something that says nothing about values.
   */
  readonly change: "rewritten" | "weakened" | "narrowed" | "omitted";
  readonly reason: string;
}

/** What became of the tools. */
export interface TargetReport {
  readonly losses: readonly TargetLoss[];
  /** Tools that the target cannot take; the others are unharmed. */
  readonly quarantined: readonly { readonly tool: string; readonly field: string; readonly reason: string }[];
  /** Names of tools for which there was no room. */
  readonly overflow: readonly string[];
  /** From the names that the target has to the toolset's names. */
  readonly names: ReadonlyMap<string, string>;
}

/** A call that waits for a person. */
export interface PendingCall {
  readonly id: string;
  readonly name: string;
  readonly confirmationId: string;
  readonly summary: string;
  /** ISO 8601. */
  readonly expiresAt: string;
  /**
   * As the target asks a person: the request of LangChain's human-in-the-loop middleware, an interrupt of AG-UI, an
   * elicitation of MCP. Absent elsewhere.
   */
  readonly request?: object;
}

/** The end of one turn's calls. */
export interface TargetAnswer<Message, Output = never, History = unknown> {
  /** To be sent back: exactly one result for each call, in their order. Empty when there was no call. */
  readonly messages: Message[];
  /** The surface's results; absent where there is no such tool. */
  readonly results: readonly {
    readonly id: string;
    readonly name: string;
    readonly tool?: string;
    readonly result?: InvocationResult | { readonly status: "error"; readonly error: InvocationError };
  }[];
  /** For `ai-sdk`: the same results for a chat on the client. Absent elsewhere. */
  readonly outputs?: readonly Output[];
  /** Calls that wait for a person. They have a message, too, unless `hold` was asked for. */
  readonly pending: readonly PendingCall[];
  /**
   * What was given, with ids that the target takes back: where any was missing, malformed or used twice. Keep it in the
   * conversation in place of what came. Absent where nothing had to change.
   */
  readonly history?: History;
}

/** Arguments that were no JSON. */
export interface InvocationError {
  readonly code: string;
  readonly message: string;
  readonly retry: string;
}

/** A toolset for one target. */
export interface ProjectedTools<Name extends TargetName> {
  /** To be given to the SDK before each turn. The same value while names, descriptions and schemas are. */
  tools(): Targets[Name]["tools"];
  /**
   * Runs the calls in what the model answered (a whole response, a message, a list of calls or of events), all at once, and
   * gives their results when every one has ended. A call goes to the tool as it was when `tools()` was last asked. Never
   * rejects for what a model sent; rejects with a `TypeError` for what is no answer, as a stream, a promise, or calls in the
   * form of another target.
   *
   * A whole conversation will do, too: calls that have their result in what is given are left alone, and what looks like a
   * call in a tool's result or in a person's message is none. The same answer given
   * again runs nothing again. A provider's id is believed beyond its turn where it was drawn at random;
   * servers that count (`call_0`) begin anew with each turn, so such a call is told from an earlier one by the answer that it
   * came in. Give the whole response where you have it: a call that was cut off by the limit of tokens is refused then.
   */
  answer<Given extends TargetAnswers[Name]>(
    calls: Given,
    how?: { readonly signal?: AbortSignal; readonly hold?: boolean },
  ): Promise<
    TargetAnswer<
      Targets[Name]["message"],
      Targets[Name] extends { output: infer Output } ? Output : never,
      TargetHistory<Name, Given>
    >
  >;
  /**
   * Results for the calls that a kept conversation still has open, as after a reload: nothing runs, and each says that nobody
   * knows whether it took effect. Put `messages` behind the conversation before its next turn; with an open call, a service
   * takes no more of it.
   *
   * @example
   * const messages = load();
   * messages.push(...projected.repair(messages).messages);
   */
  repair<Given extends TargetAnswers[Name]>(
    conversation: Given,
  ): TargetAnswer<
    Targets[Name]["message"],
    Targets[Name] extends { output: infer Output } ? Output : never,
    TargetHistory<Name, Given>
  >;
  /**
   * What changes from turn to turn, as a text to be put behind the conversation, so that the definitions stay in the
   * provider's cache: which tools are not available now and why, notes, what had no room. Empty when there is nothing to say.
   */
  state(): string;
  report(): TargetReport;
  /** From now on no schema is strict: for a provider that refused a request for the size of its grammar. */
  relax(): void;
}

/**
 * A toolset in the words of one target. `initTargets()` must be done. Throws a `TypeError` for a target or dialect that
 * there is not.
 *
 * @example
 * const projected = projectTools(toolset, { target: "anthropic" });
 * const message = await client.messages.create({ model, max_tokens, messages, tools: projected.tools() });
 * const { messages: results, history } = await projected.answer(message);
 * messages.push({ role: "assistant", content: (history ?? message).content }, ...results);
 */
export declare function projectTools<Name extends TargetName>(
  toolset: ProjectedToolset,
  options: ProjectOptions<Name>,
): ProjectedTools<Name>;

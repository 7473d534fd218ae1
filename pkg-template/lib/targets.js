// Tools for model SDKs: gives the projection what a toolset has, calls what a model asked for, and puts the SDK's own
// shapes around what comes out. Which names, schemas, calls and results those are the module decides. Called by the
// entries of `/targets`.

import { glue } from "#targets-glue";
import { createApart } from "./apart.js";
import { AgentSurfaceRuntimeError } from "./errors.js";
import { attempt, isThenable } from "./thenable.js";

/** What the module does, as `targets.rs` numbers it. */
const PROJECT = 0;
const READ = 1;
const PREPARE = 2;
const RENDER = 3;
const STATE = 4;

const module = /* @__PURE__ */ createApart(glue, "initTargets", "targets", "agent_surface_targets.wasm");

export const createInitTargets = (defaultSource) => module.init(defaultSource);

/** Asks the module. It keeps nothing between two calls, so an instance that stopped is replaced at once. */
const ask = (what, text) => {
  const { targets } = module.ready();
  let answer;
  try {
    answer = JSON.parse(targets(what, text));
  } catch (error) {
    module.restart();
    throw new AgentSurfaceRuntimeError("POISONED", `A projection stopped: ${error?.message ?? error}`, undefined, { cause: error });
  }
  if (answer.fault !== undefined) throw new TypeError(answer.fault);
  return answer;
};

/** What the page says about a tool, by its name or its capability. */
const wordsOf = (options, tool, ids) => options.tools?.[tool.name] ?? options.tools?.[ids?.get(tool.name)];

const describe = ({ name, description, inputSchema }, words) => {
  const { title, outputSchema, effect, idempotent, strict, priority } = words ?? {};
  return { name, description, inputSchema, title, outputSchema, effect, idempotent, strict, priority };
};

/** A LangChain message writes itself as JSON without what it was not made with. */
const plain = (calls) => {
  if (Array.isArray(calls)) return calls.map(plain);
  if (!calls?.tool_calls && !calls?.invalid_tool_calls) return calls;
  return { tool_calls: calls.tool_calls, invalid_tool_calls: calls.invalid_tool_calls };
};

/** What is not there yet would be read as an answer without calls. */
const arrived = (calls) => {
  if (isThenable(calls)) throw new TypeError("`answer` was given a promise: `await` what the model answers");
  if (typeof calls?.[Symbol.asyncIterator] === "function") {
    throw new TypeError("`answer` was given a stream: read it to its end, and give the message that it makes");
  }
  return calls ?? null;
};

/** Deeper than what any call takes, and not too deep to write. */
const DEEPEST = 2000;

/** The value to `levels` below it: deep enough to be refused as it would be as a whole. */
const cutAt = (levels, value) => {
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return null;
  const entries = Object.entries(value).map(([key, each]) => [key, cutAt(levels - 1, each)]);
  return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
};

/** What the module reads; SDKs give arguments that they have parsed, however deep. */
const written = (request, levels) => {
  try {
    return JSON.stringify(request);
  } catch (cause) {
    if (cause instanceof RangeError && levels === undefined) return written(cutAt(DEEPEST, request), DEEPEST);
    throw new TypeError(`the model's turn cannot be written as JSON: ${cause.message}`, { cause });
  }
};

/** As `jsonSchema` of the AI SDK makes it; as a Standard Schema for its types. */
const aiSchema = (schema) => {
  const validate = (value) => ({ success: true, value });
  return {
    [Symbol.for("vercel.ai.schema")]: true,
    jsonSchema: schema,
    validate,
    "~standard": {
      version: 1,
      vendor: "agent-surface-wasm",
      validate: (value) => ({ value }),
      jsonSchema: { input: () => schema, output: () => schema },
    },
  };
};

const fail = (result) => {
  if (result.status === "ok") return result.output;
  throw new Error(JSON.stringify(result.error));
};

/** The shapes that are more than a list of definitions. `run(name, input, id, signal)` answers with the surface's result. */
const SHAPES = {
  gemini: (tools) => [{ functionDeclarations: tools }],
  "ai-sdk": (tools, { run, output }) =>
    Object.fromEntries(
      tools.map(({ name, inputSchema, ...tool }) => [
        name,
        {
          ...tool,
          type: "dynamic",
          inputSchema: aiSchema(inputSchema),
          execute: (input, call) => run(name, input, call?.toolCallId, call?.abortSignal),
          toModelOutput: ({ toolCallId, output: result }) => output(name, toolCallId, result),
        },
      ]),
    ),
  "assistant-ui": (tools, { run }) =>
    Object.fromEntries(
      tools.map(({ name, ...tool }) => [
        name,
        {
          type: "frontend",
          ...tool,
          execute: async (input, call) => {
            const result = await run(name, input, call?.toolCallId, call?.abortSignal);
            const isError = result.status !== "ok";
            const response = { result: (isError ? result.error : result.output) ?? { ok: true }, isError };
            return Object.defineProperty(response, Symbol.for("aui.tool-response"), { value: true });
          },
        },
      ]),
    ),
  // The browser's class for calls is there where answers go back by `prompt`; elsewhere it calls `execute` itself.
  "language-model": (tools, { run }) =>
    typeof globalThis.LanguageModelToolCall === "function"
      ? tools
      : tools.map((tool) => ({
          ...tool,
          execute: async (input) => JSON.stringify(fail(await run(tool.name, input)) ?? { ok: true }),
        })),
};

/** Chrome takes instances of its own classes. */
const promptResult = (part) => {
  const { errorMessage } = part.value;
  const Class = errorMessage === undefined ? globalThis.LanguageModelToolSuccess : globalThis.LanguageModelToolError;
  return typeof Class === "function" ? { ...part, value: new Class(part.value) } : part;
};

const unknown = (message) =>
  Object.freeze({ status: "error", error: { code: "EXECUTION_FAILED", message, retry: "no", details: { outcome: "unknown" } } });

/** Of a tool that rejects or gives no result, which a toolset's own never do: nobody knows what of it happened. */
const FAILED = /* @__PURE__ */ unknown("The tool failed: whether it took effect is unknown.");

/** A tool that somebody wrapped may give anything; the results of the other calls stand. */
const resultOf = (given) => {
  const isResult = given?.status === "ok" || (given?.status === "error" && typeof given.error?.code === "string");
  return isResult && attempt(() => JSON.stringify(given)) ? given : FAILED;
};

/** Of a call that a conversation still has open, while whoever ran it is gone. */
const ABANDONED = /* @__PURE__ */ unknown("The page went away during this call: whether it took effect is unknown. Look before you call again.");

class Projection {
  constructor(toolset, options) {
    this.toolset = toolset;
    this.options = options;
    this.relaxed = false;
    /** No other projection counts so: keys of calls are the surface's, which many conversations may share. */
    this.nonce = crypto.getRandomValues(new Uint32Array(2)).reduce((text, number) => text + number.toString(36), "");
    this.turns = 0;
    /** The calls of what was given, so that they are known when it is given again. */
    this.read = new WeakMap();
    /** The calls of the last answer, while some of them wait for a person and have no result. */
    this.held = undefined;
    this.text = undefined;
    this.known = undefined;
    /** The present tools and their projection. */
    this.present = undefined;
    /** `{ offer, tools }`: what the model was last given. Its tools keep it, so that they call what they were then. */
    this.given = undefined;
  }

  /** The present tools; their projection is the same object while nothing that a model sees has changed. */
  look() {
    const list = this.toolset.tools();
    const meta = this.options.meta?.tools() ?? [];
    const { present, relaxed } = this;
    if (present?.list === list && present.meta === meta && present.relaxed === relaxed) return present;
    const ids = this.options.tools && this.toolset.wireNameMap?.();
    const { target, schema, maxTools, maxStrict } = this.options;
    const text = JSON.stringify({
      target,
      schema,
      maxTools,
      maxStrict,
      relaxed,
      tools: list.map((tool) => describe(tool, wordsOf(this.options, tool, ids))),
      meta: meta.map((tool) => describe(tool)),
    });
    if (text !== this.text) this.known = ask(PROJECT, text);
    this.text = text;
    return (this.present = { list, meta, relaxed, known: this.known });
  }

  /** What the model is given from now on. */
  give() {
    const offer = this.look();
    if (this.given?.offer.known === offer.known) {
      this.given.offer = offer;
      return this.given;
    }
    const given = { offer, tools: undefined };
    const shape = SHAPES[this.options.target];
    given.tools = shape
      ? shape(offer.known.tools, {
          run: (name, input, id, signal) => this.runNamed(given.offer, name, input, id, signal),
          output: (name, id, result) => this.render([{ id, name, result }]).messages[0].content[0].output,
        })
      : offer.known.tools;
    return (this.given = given);
  }

  /** One call of a tool that was offered; without a result where there was none of that name. */
  async run({ list, meta }, call, signal) {
    const tool = call.meta === undefined ? list[call.at] : meta[call.meta];
    if (!tool) return { call };
    const { id, name, key, strict, cut, mcp } = call;
    const { input, error, confirmationId, ...own } = ask(
      PREPARE,
      JSON.stringify({ schema: tool.inputSchema, strict, cut, mcp, id, name, arguments: call.arguments }),
    );
    if (error) return { call, result: { status: "error", error } };
    try {
      return { call, input, result: resultOf(await tool.execute(input, { toolCallId: key ?? own.key, confirmationId, signal })) };
    } catch {
      // Its words may be for nobody else.
      return { call, input, result: FAILED };
    }
  }

  async runNamed(offer, name, input, id, signal) {
    const entry = offer.known.names.find((other) => other.name === name);
    return (await this.run(offer, { ...entry, arguments: input, id }, signal)).result;
  }

  render(results, hold) {
    return ask(RENDER, JSON.stringify({ target: this.options.target, results, hold }));
  }

  /** The calls in what was given. */
  find(calls, others, names) {
    const { target } = this.options;
    const given = arrived(calls);
    const past = this.read.get(given);
    const { held } = this;
    const turn = `${this.nonce}-${this.turns++}`;
    const sent = target === "langchain" ? plain(given) : given;
    const found = ask(READ, written({ target, calls: sent, names, others, turn, past, held }));
    if (typeof given === "object" && given) this.read.set(given, found.calls);
    return found;
  }

  /** What goes back; `ended` are the calls with their results. */
  told(ended, hold, history) {
    const results = ended.map(({ call: { id, given, name, tool, mcp }, input, result }) => ({ id, given, name, tool, mcp, input, result }));
    const { messages, outputs, pending } = this.render(results, hold);
    const isPrompt = this.options.target === "language-model";
    return {
      messages: isPrompt ? messages.map((message) => ({ ...message, content: message.content.map(promptResult) })) : messages,
      results: results.map(({ id, name, tool, result }) => ({ id, name, tool, result })),
      outputs,
      pending,
      history,
    };
  }

  async answer(calls, { signal, hold } = {}) {
    const { offer } = this.given ?? this.give();
    const found = this.find(calls, this.options.others, offer.known.names);
    const ended = await Promise.all(found.calls.map((call) => this.run(offer, call, signal)));
    const answer = this.told(ended, hold, found.history);
    this.held = hold && answer.pending.length > 0 ? found.calls : undefined;
    return answer;
  }

  /** Nothing runs; components that are not there yet make no call somebody else's. */
  repair(calls) {
    const { others } = this.options;
    const found = this.find(calls, Array.isArray(others) ? others : "answer", []);
    return this.told(found.calls.map((call) => ({ call, result: ABANDONED })), false, found.history);
  }

  state() {
    const { list, meta, known } = this.look();
    const tools = known.names
      .filter(({ at }) => at !== undefined)
      .map(({ name, at }) => ({ name, state: list[at].state }));
    return ask(STATE, JSON.stringify({ tools, overflow: known.overflow, meta: meta.length > 0 }));
  }

  report() {
    const { losses, quarantined, overflow, names } = this.look().known;
    return { losses, quarantined, overflow, names: new Map(names.map(({ name, tool }) => [name, tool])) };
  }
}

const OPTIONS = ["target", "schema", "tools", "maxTools", "maxStrict", "meta", "others"];
const WORDS = ["strict", "priority", "title", "outputSchema", "effect", "idempotent"];

/** A misspelt `others` would have the page answer what a server does. */
const onlyOf = (names, options, what) => {
  const other = Object.keys(options ?? {}).find((key) => !names.includes(key));
  if (other !== undefined) throw new TypeError(`\`${other.slice(0, 100)}\` is no option of ${what}; it takes ${names.join(", ")}`);
};

export const projectTools = (toolset, options) => {
  if (typeof toolset?.tools !== "function") throw new TypeError("`projectTools` expects a toolset");
  onlyOf(OPTIONS, options, "`projectTools`");
  for (const [tool, words] of Object.entries(options?.tools ?? {})) onlyOf(WORDS, words, `\`${tool}\` in \`tools\``);
  const projection = new Projection(toolset, { ...options });
  // A target or a dialect that there is not is said at once.
  projection.look();
  return {
    tools: () => projection.give().tools,
    answer: (calls, how) => projection.answer(calls, how),
    repair: (calls) => projection.repair(calls),
    state: () => projection.state(),
    report: () => projection.report(),
    relax() {
      projection.relaxed = true;
    },
  };
};

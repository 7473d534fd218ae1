// `examples/anthropic-loop` and `examples/openai-loop`, run from the packed package with the official SDKs against the model
// server: streamed and whole, over each of the three APIs, with a person at the terminal.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { obedient } from "../../examples/model-server/obedient.mjs";
import { startModelServer } from "../../examples/model-server/server.mjs";
import { ROOT } from "../e2e/harness/server.mjs";
import { project } from "./project.mjs";

const projects = new Map();
after(() => Promise.all([...projects.values()].map(async (made) => (await made).remove())));

const make = async (name, sdk) => {
  const folder = join(ROOT, "examples", name);
  const files = {};
  for (const file of await readdir(folder)) if (file.endsWith(".mjs")) files[file] = await readFile(join(folder, file), "utf8");
  return project(files, { link: [sdk] });
};

/** Runs an example with what is said to the model and what the person answers; answers with what it printed and the requests. */
const converse = async ({ example, sdk, flags = [], script = obedient, said, person = "" }) => {
  if (!projects.has(example)) projects.set(example, make(example, sdk));
  const { folder } = await projects.get(example);
  const server = await startModelServer(script);
  const env = {
    ...process.env,
    ANTHROPIC_API_KEY: "none",
    ANTHROPIC_BASE_URL: server.url,
    OPENAI_API_KEY: "none",
    OPENAI_BASE_URL: `${server.url}/v1`,
    MODEL: "none",
    NODE_TEST_CONTEXT: undefined,
  };
  const child = spawn(process.execPath, ["main.mjs", ...flags, said], { cwd: folder, env });
  let printed = "";
  let answered = false;
  child.stderr.on("data", (data) => (printed += data));
  child.stdout.on("data", (data) => {
    printed += data;
    if (answered || !printed.includes("[y/N]")) return;
    answered = true;
    child.stdin.write(`${person}\n`);
  });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  await server.close();
  assert.equal(code, 0, printed);
  assert.deepEqual(server.requests.filter(({ refused }) => refused), [], "the service refused nothing");
  return { printed, requests: server.requests };
};

const SHOPPING = ['call add {"name":"milk"} & call add {"name":"bread","count":2} & call buy', "call items", "call clear"].join("\n");
const LIGHTS = ['call dim {"room":"hall","level":40} & call dim {"room":"attic"} & call dim {"room":"kitchen","level":80}', "call levels", "call cut"].join("\n");

const WIRES = [
  { name: "Anthropic Messages", example: "anthropic-loop", sdk: "@anthropic-ai/sdk", said: SHOPPING, flags: [], ending: "end_turn", kept: '{"milk":1,"bread":2}', gone: "{}" },
  { name: "OpenAI Responses", example: "openai-loop", sdk: "openai", said: LIGHTS, flags: [], ending: "completed", kept: '{"kitchen":80,"hall":40,"attic":0}', gone: '{"kitchen":0,"hall":0,"attic":0}' },
  { name: "OpenAI Chat Completions", example: "openai-loop", sdk: "openai", said: LIGHTS, flags: ["--chat"], ending: "stop", kept: '{"kitchen":80,"hall":40,"attic":0}', gone: '{"kitchen":0,"hall":0,"attic":0}' },
];

for (const { name, flags, ending, kept, gone, ...wire } of WIRES) {
  test(`${name}, streamed: parallel calls, a wrong one and one that a person allows`, async () => {
    const { printed, requests } = await converse({ ...wire, flags, person: "y" });
    // Three calls at once, one of which fails; then one; then the one that waits.
    assert.match(printed, /5 results, 1 of them errors\./);
    assert.ok(printed.endsWith(`${ending}; the ${wire.example === "anthropic-loop" ? "list" : "lights"}: ${gone}\n`), printed);
    assert.equal(requests.length, 4);
    assert.ok(requests.every(({ body }) => body.stream === true));
  });

  test(`${name}, whole: a person's no is a result`, async () => {
    const { printed, requests } = await converse({ ...wire, flags: [...flags, "--whole"], person: "n" });
    assert.match(printed, /5 results, 2 of them errors\./);
    assert.ok(printed.includes(kept), printed);
    assert.ok(requests.every(({ body }) => body.stream === undefined));
    assert.match(JSON.stringify(requests.at(-1).body), /"?denied/);
  });

  test(`${name}: a call that was cut off is answered, not run, and the conversation goes on`, async () => {
    const tool = name.startsWith("Anthropic") ? "clear" : "cut";
    const script = ({ round, tools }) => {
      if (round > 0) return { text: "I see." };
      return { calls: [{ name: tools.find((each) => each.name.endsWith(tool)).name, text: "" }], isCut: true };
    };
    const { printed, requests } = await converse({ ...wire, flags, script });
    assert.doesNotMatch(printed, /\[y\/N\]/);
    assert.match(JSON.stringify(requests.at(-1).body), /cut off before this call was complete/);
  });
}

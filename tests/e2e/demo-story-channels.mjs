// The chapters in which somebody else drives: the browser's own agent over WebMCP, and models over HTTP.
import { startModelServer } from "../../examples/model-server/server.mjs";

const DISABLE = "domain_devices__disable";
const SELECT = "view_devices__table__selectRows";

async function browserAgent(demo, report) {
  const ids = (await demo.devices({ city: "Milan", status: "offline" })).map(({ id }) => id);
  const before = await demo.tools();
  report.holds("the browser lists the page's tools", before.includes(SELECT), before);
  report.holds("but nothing to disable without a selection", !before.includes(DISABLE), before);
  const selected = await demo.execute(SELECT, { ids });
  report.equal("it selects", selected.structuredContent, { selected: ids.length });
  await demo.toolComes(DISABLE);
  const first = await demo.execute(DISABLE, {});
  report.equal("disabling needs a person", [first.isError, demo.payloadOf(first).code], [true, "CONFIRMATION_REQUIRED"]);
  const record = await demo.asked();
  report.equal("who is asked by the browser's agent", [record.consumerKey, [...record.input.ids].sort()], ["webmcp:browser", [...ids].sort()]);
  await demo.shot("11-browser-agent");
  await demo.approve();
  report.holds("the approval alone does nothing", (await demo.statusOf(ids)).every((status) => status === "offline"));
  const second = await demo.execute(DISABLE, {});
  report.equal("the same call again runs", second.structuredContent?.disabled?.length, ids.length);
  report.holds("the server shows them disabled", (await demo.statusOf(ids)).every((status) => status === "disabled"));
  await demo.toolComes(DISABLE, false);
  report.holds("and the tool is gone again with what could be disabled", true);
}

async function browserReselects(demo, report) {
  const [milan, lisbon] = await Promise.all(["Milan", "Lisbon"].map(async (city) => (await demo.devices({ city, status: "offline" })).map(({ id }) => id)));
  await demo.execute(SELECT, { ids: milan });
  await demo.toolComes(DISABLE);
  await demo.execute(DISABLE, {});
  await demo.asked();
  await demo.approve();
  await demo.execute(SELECT, { ids: lisbon });
  const other = await demo.execute(DISABLE, {});
  report.equal("an approval does not carry over to another selection: a person is asked anew", demo.payloadOf(other).code, "CONFIRMATION_REQUIRED");
  report.holds("nothing ran", (await demo.statusOf([...milan, ...lisbon])).every((status) => status === "offline"));
  const record = await demo.asked();
  report.equal("about the devices that are selected now", [...record.input.ids].sort(), [...lisbon].sort());
  await demo.approve();
  await demo.execute(DISABLE, {});
  report.holds("and then it runs", (await demo.statusOf(lisbon)).every((status) => status === "disabled"));
  report.holds("for these only", (await demo.statusOf(milan)).every((status) => status === "offline"));
}

async function browserDenied(demo, report) {
  await demo.execute("view_devices__table__openDevice", { id: "dev-007" });
  await demo.toolComes("domain_devices__rename");
  const name = (await demo.devices({ q: "dev-007" }))[0].name;
  const first = await demo.execute("domain_devices__rename", { name: "Renamed by the browser" });
  report.equal("what the browser's agent changes on the server needs a person too", demo.payloadOf(first).code, "CONFIRMATION_REQUIRED");
  await demo.asked();
  await demo.deny("Not now");
  const second = await demo.execute("domain_devices__rename", { name: "Renamed by the browser" });
  const { code, details } = demo.payloadOf(second);
  report.equal("denied stays denied, with the person's words", [code, details], ["CONFIRMATION_INVALID", { reason: "denied", note: "Not now" }]);
  report.equal("the name is as it was", (await demo.devices({ q: "dev-007" }))[0].name, name);
  await demo.say("rename dev-007 to Lobby camera");
  await demo.answered();
  report.equal("the copilot may rename without being asked", (await demo.devices({ q: "dev-007" }))[0].name, "Lobby camera");
}

async function connect(demo, provider, baseUrl) {
  await demo.page.getByRole("button", { name: "Model settings" }).click();
  await demo.page.getByText(provider, { exact: true }).click();
  await demo.page.getByLabel("Base URL").fill(baseUrl);
  await demo.page.getByRole("textbox", { name: "Model", exact: true }).fill("test-model");
  await demo.page.getByLabel("API key").fill("key-of-the-test");
  await demo.page.getByRole("button", { name: "Use this" }).click();
}

/** A chapter that breaks off leaves it open; the check still ends. */
async function startModel(script) {
  const model = await startModelServer(script);
  model.unref();
  return model;
}

async function anthropic(demo, report) {
  const model = await startModel(({ asked, round, results }) => {
    if (asked.startsWith("And now?")) return { status: 529, message: "Overloaded" };
    if (round > 0) return { text: `I got ${results.length} results.` };
    return {
      text: "I look at the cameras.",
      calls: [
        { name: "view_devices__filters__setFilters", input: { kind: "camera", city: "all", status: "all", q: "" } },
        { name: "view_devices__table__selection" },
        { name: "view_devices__nothing" },
      ],
    };
  });
  await connect(demo, "Anthropic", model.url);
  await demo.say("Are there cameras?");
  await demo.answered();
  const lines = await demo.conversation();
  for (const line of lines) report.note(line);
  report.holds("what it says while it streams is one paragraph", lines.includes("agent: I look at the cameras."), lines);
  report.equal("every call got exactly one result", lines.at(-1), "agent: I got 3 results.");
  const [first, second] = model.requests;
  report.equal("the key travels in its header, and the answer is streamed", [first.wire, first.headers["x-api-key"], first.body.stream], ["/v1/messages", "key-of-the-test", true]);
  report.holds("the tools are those of the surface", first.body.tools.some((tool) => tool.name === DISABLE && tool.description.startsWith("[domain · destructive · requires confirmation]")), first.body.tools.map((tool) => tool.description));
  report.holds("what is unavailable is told beside them", JSON.stringify(first.body.messages.at(-1)).includes("Select at least one device first"));
  const [said, results] = second.body.messages.slice(-2).map(({ content }) => content);
  report.equal("what the model said goes back as it was", said.map(({ type }) => type), ["text", "tool_use", "tool_use", "tool_use"]);
  report.equal("arguments that came in pieces were put together", said[1].input.kind, "camera");
  report.equal("results carry the ids of their calls, and whether they failed", results.filter(({ type }) => type === "tool_result").map(({ tool_use_id: id, is_error: failed }) => [id, failed]), said.slice(1).map(({ id }, at) => [id, at === 2]));
  await demo.say("And now?");
  await demo.answered();
  report.holds("an endpoint that fails is reported as such", (await demo.conversation()).at(-1).includes("answered 529: Overloaded"), await demo.conversation());
  await demo.shot("12-model");
  report.equal("the service refused nothing else", model.requests.filter(({ refused }) => refused).length, 1);
  await model.close();
}

async function openai(demo, report) {
  const model = await startModel(({ round, results }) => {
    if (round > 0) return { text: `I got ${results.length} results.` };
    return { calls: [{ name: "view_devices__table__openDevice", input: { id: "dev-007" } }, { name: "view_devices__table__rows", text: '{"broken"' }] };
  });
  await connect(demo, "OpenAI-compatible", `${model.url}/v1`);
  await demo.say("Open dev-007 please");
  await demo.answered();
  const lines = await demo.conversation();
  for (const line of lines) report.note(line);
  report.equal("every call got exactly one result, the malformed one too", lines.at(-1), "agent: I got 2 results.");
  const [first, second] = model.requests;
  report.equal("the key travels in its header, and the answer is streamed", [first.wire, first.headers.authorization, first.body.stream], ["/v1/chat/completions", "Bearer key-of-the-test", true]);
  const calls = second.body.messages.find((message) => message.tool_calls).tool_calls;
  const results = second.body.messages.filter((message) => message.role === "tool");
  report.equal("results carry the ids of their calls, which grew side by side", results.map((message) => message.tool_call_id), calls.map(({ id }) => id));
  report.holds("malformed arguments are refused without a call", results[1].content.includes("INVALID_INPUT"), results[1]);
  report.holds("the drawer's own tools are offered in the next turn", second.body.tools.some((tool) => tool.function.name === "domain_devices__rename"));
  report.equal("the service refused nothing", model.requests.filter(({ refused }) => refused), []);
  await model.close();
}

export const CHANNELS = [
  ["The browser's agent, over native WebMCP", browserAgent],
  ["The browser's agent, after another selection", browserReselects],
  ["The browser's agent, denied", browserDenied],
  ["A model behind the Anthropic API", anthropic],
  ["A model behind an OpenAI-compatible API", openai],
];

// An endpoint that plays a model, so that the demo's two model clients are tried over real HTTP, CORS included.
import { createServer } from "node:http";

/** Answers request after request with `answers`, each a function of the request's body. `requests` keeps what came. */
export async function startModel(answers) {
  const requests = [];
  const server = createServer((request, response) => {
    response.setHeader("access-control-allow-origin", request.headers.origin ?? "*");
    response.setHeader("access-control-allow-headers", request.headers["access-control-request-headers"] ?? "*");
    if (request.method === "OPTIONS") {
      response.end();
      return;
    }
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString());
      requests.push({ path: request.url, headers: request.headers, body });
      const answer = answers[requests.length - 1]?.(body);
      response.statusCode = answer ? 200 : 500;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(answer ?? { error: { message: "this model has nothing more to say" } }));
    });
  });
  // A chapter that breaks off leaves it open; the check still ends.
  server.unref();
  await new Promise((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return { url: `http://127.0.0.1:${server.address().port}`, requests, close: () => server.close() };
}

const toolUse = (id, name, input) => ({ type: "tool_use", id, name, input });

/** The Messages API's form. */
export const anthropicAnswers = [
  () => ({
    content: [
      { type: "text", text: "I look at the cameras." },
      toolUse("toolu_1", "view_devices__filters__setFilters", { kind: "camera", city: "all", status: "all", q: "" }),
      toolUse("toolu_2", "view_devices__table__selection", {}),
      toolUse("toolu_3", "view_devices__nothing", {}),
    ],
    stop_reason: "tool_use",
  }),
  ({ messages }) => ({ content: [{ type: "text", text: `I got ${messages.at(-1).content.filter((block) => block.type === "tool_result").length} results.` }], stop_reason: "end_turn" }),
];

const call = (id, name, text) => ({ id, type: "function", function: { name, arguments: text } });

/** The chat-completions form. */
export const openaiAnswers = [
  () => ({ choices: [{ message: { role: "assistant", content: null, tool_calls: [call("call_a", "view_devices__table__openDevice", '{"id":"dev-007"}'), call("call_b", "view_devices__table__rows", '{"broken"')] } }] }),
  ({ messages }) => ({ choices: [{ message: { role: "assistant", content: `I got ${messages.filter((message) => message.role === "tool").length} results.` } }] }),
];

// The other end of `websocket-adapter.mjs`: a tool server on this machine, to which one page connects. An agent's loop
// lists `tools()` and runs `call()`.

import { once } from "node:events";
import { WebSocketServer } from "ws";

/** `origins`: whose pages may connect. A page of any site can reach a port of this machine; a program has no origin. */
export async function startToolServer({ port = 0, origins = [undefined] } = {}) {
  const server = new WebSocketServer({
    host: "127.0.0.1",
    port,
    maxPayload: 1_000_000,
    verifyClient: ({ origin }) => origins.includes(origin),
  });
  await once(server, "listening");

  let page;
  let tools = [];
  let waiting = [];

  server.on("connection", (socket) => {
    page = socket;
    socket.on("message", (data) => {
      let message;
      try {
        message = JSON.parse(String(data));
      } catch {
        // What is no message ends its connection, not the server.
        socket.close(1007);
        return;
      }
      if (message?.type === "tools") tools = message.tools;
      if (message?.type === "result") {
        for (const { id, resolve } of waiting) if (id === message.id) resolve(message.result);
        waiting = waiting.filter(({ id }) => id !== message.id);
      }
    });
    socket.on("close", () => {
      if (page === socket) {
        page = undefined;
        tools = [];
      }
    });
    // What was not answered before the connection broke is asked again, under the same id: it runs once.
    for (const { request } of waiting) socket.send(request);
  });

  return {
    url: `ws://127.0.0.1:${server.address().port}`,
    tools: () => tools,
    /** `id` names the attempt: the model's tool-call id. */
    call(name, input, { id, confirmationId }) {
      const request = JSON.stringify({ type: "call", id, name, input, confirmationId });
      page?.send(request);
      return new Promise((resolve) => waiting.push({ id, request, resolve }));
    },
    /** Breaks the connection, as a network does. */
    drop: () => page?.terminate(),
    async close() {
      server.close();
      for (const client of server.clients) client.terminate();
      await once(server, "close");
    },
  };
}

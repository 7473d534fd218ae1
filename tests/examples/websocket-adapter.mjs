// A custom adapter, step by step in docs/adapters.md: the page connects out to a tool server on the same machine, shows
// it what the surface offers, and runs what it calls.

import { createAgentToolset } from "agent-surface-wasm";

const LARGEST_MESSAGE = 1_000_000;
const RECONNECT_MS = 1_000;
const NO_SUCH_TOOL = {
  code: "CAPABILITY_NOT_FOUND",
  message: "The page no longer offers this tool. List the tools again.",
  retry: "after-refresh",
};

/** `WebSocket` is the page's own when absent. */
export function createWebSocketAdapter({ url, WebSocket = globalThis.WebSocket }) {
  let session;
  return {
    name: "websocket-tools",
    start(host) {
      session ??= openSession(host, () => new WebSocket(url));
    },
    stop() {
      session?.close();
      session = undefined;
    },
  };
}

function openSession({ registry, consumer, snapshotContext }, createSocket) {
  const toolset = createAgentToolset(registry, {
    consumer,
    topology: "remote",
    scope: snapshotContext?.scope,
  });

  let socket;
  const send = (message) => {
    if (socket.readyState === 1) socket.send(JSON.stringify(message));
  };

  const offer = () => {
    const available = toolset.tools().filter(({ state }) => state.available);
    const tools = available.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    send({ type: "tools", tools });
  };

  const call = async ({ id, name, input, confirmationId }) => {
    const tool = toolset.tools().find((each) => each.name === name);
    const { status, output, error } = tool
      ? await tool.execute(input, { toolCallId: id, confirmationId })
      : { status: "error", error: NO_SUCH_TOOL };
    send({ type: "result", id, result: { status, output, error } });
  };

  let reconnect;
  const connect = () => {
    socket = createSocket();
    socket.onopen = offer;
    socket.onmessage = ({ data }) => {
      const message = readMessage(data);
      if (message?.type === "call") call(message);
    };
    socket.onerror = () => undefined; // `onclose` follows
    socket.onclose = () => {
      reconnect = setTimeout(connect, RECONNECT_MS);
    };
  };

  const unsubscribe = toolset.subscribe(offer);
  connect();

  return {
    close() {
      unsubscribe();
      toolset.dispose();
      clearTimeout(reconnect);
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
    },
  };
}

/** What the server says is checked like anything else from outside: its size before its content. */
function readMessage(data) {
  if (typeof data !== "string" || data.length > LARGEST_MESSAGE) return undefined;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

// The page whose surface is measured: fifty capabilities and a no-op, a transport for one origin, and a port that echoes.

import { createAgentSurfaceRegistry, init } from "/pkg/dist/index.js";
import { createPostMessageTransport, createSessionRegistry, defineActions, initSurface } from "/pkg/dist/surface.js";

const APP = "bench";
const input = {
  type: "object",
  properties: {
    ids: { type: "array", items: { type: "string", minLength: 1, maxLength: 40 }, maxItems: 50 },
    reason: { type: "string", maxLength: 200, description: "Why, in one sentence" },
  },
  required: ["ids"],
  additionalProperties: false,
};

/** As a page would declare them. */
const actionsOf = (count) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `area-${at % 10}.do_${at}`,
      { description: `Does number ${at} to the rows that are named, and says how many`, input, output: { type: "object" }, handler: () => ({ count: at }) },
    ]),
  );

/** Frames of the peer's origin, each with a port that answers `n` with what it was told to. */
const echo = (frame, origin) => {
  const { port1, port2 } = new MessageChannel();
  let canned = "";
  port1.onmessage = ({ data: [kind, number, text] }) => {
    if (kind === "can") canned = text;
    else port1.postMessage(["answer", number, canned]);
  };
  frame.contentWindow.postMessage("echo", { targetOrigin: origin, transfer: [port2] });
};

globalThis.start = async (origin) => {
  await Promise.all([init(), initSurface()]);
  const registry = createAgentSurfaceRegistry({ environment: "production" });
  const actions = { noop: { description: "Does nothing", handler() {} }, ...actionsOf(49) };
  const defined = defineActions(registry, { app: APP, actions });
  const expose = Object.keys(actions);
  createPostMessageTransport({
    surface: { registry, app: APP, expose },
    sessions: createSessionRegistry({ ttlMs: 3_600_000, maxSessions: 8 }),
    origins: [origin],
    authorize: () => ({ userId: "u1", scope: expose }),
  });
  addEventListener("message", ({ data }) => data === "invalidate" && defined.invalidate());
  const frame = document.createElement("iframe");
  frame.src = `${origin}/bench/surface-peer.html`;
  await new Promise((resolve) => {
    frame.onload = resolve;
    document.body.append(frame);
  });
  echo(frame, origin);
};

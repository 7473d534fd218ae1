// The external surface for other tabs and workers of the same origin, over a BroadcastChannel: docs/transports.md.
//
// Messages are arrays: who it is for, who it is from, a word, and what belongs to it. To the page: "hello" name, "call" n
// request, "left" n, "watch", "pong", "bye". From it: "welcome" session, "refused" error, "answer" n response, "changed",
// "ping", "bye" code.

import { createSurfaceTransport } from "agent-surface-wasm/surface";

const PAGE = "page";
const MAX_PEERS = 64;

/** The options of `createSurfaceTransport` without a name, and `channel`, the name of the BroadcastChannel. */
export function createBroadcastTransport({ channel: name, beatMs = 1500, ...options }) {
  const carrier = createSurfaceTransport({ ...options, name: "broadcast" });
  const channel = new BroadcastChannel(name);
  /** Those who greeted, by the names that they made up. */
  const peers = new Map();
  const say = (to, ...message) => channel.postMessage([to, PAGE, ...message]);

  channel.onmessage = ({ data }) => {
    if (!Array.isArray(data)) return;
    const [to, from, word, ...rest] = data;
    // Others talk to each other here, too.
    if (to !== PAGE || typeof from !== "string" || from.length > 64) return;
    if (word === "hello") greet(from, rest[0]);
    else peers.get(from)?.take(word, rest);
  };

  const beat = setInterval(() => {
    for (const peer of [...peers.values()]) peer.beat();
  }, beatMs);

  async function greet(id, declaredName) {
    // The browser lets only this origin's own scripts onto the channel: that is the proof.
    const who = { origin: globalThis.location?.origin ?? "this process", declaredName };
    if (peers.has(id) || peers.size >= MAX_PEERS) {
      carrier.refuse(who, "REPLAYED_REQUEST");
      return;
    }
    const peer = createPeer(id);
    peers.set(id, peer);
    const outcome = await carrier.connect(who, peer.link);
    if (outcome.ok) {
      peer.open(outcome.connection);
      return;
    }
    peers.delete(id);
    say(id, "refused", outcome.error);
  }

  function createPeer(id) {
    const leaving = new Map();
    let connection;
    let missed = 0;

    const request = (number, text) => {
      if (!Number.isSafeInteger(number) || typeof text !== "string" || leaving.has(number)) {
        connection.refuse("INVALID_REQUEST");
        return;
      }
      leaving.set(number, undefined);
      const leave = connection.request(text, (response) => {
        leaving.delete(number);
        say(id, "answer", number, response);
      });
      if (leaving.has(number)) leaving.set(number, leave);
    };

    return {
      link: {
        close(code) {
          peers.delete(id);
          say(id, "bye", code);
        },
        changed: () => say(id, "changed"),
      },
      open(opened) {
        connection = opened;
        const { sessionId, scope, expiresAt } = connection.session;
        say(id, "welcome", { sessionId, scope, expiresAt });
      },
      take(word, [number, text]) {
        missed = 0;
        if (connection === undefined) return;
        if (word === "call") request(number, text);
        else if (word === "left") leaving.get(number)?.();
        else if (word === "watch") connection.watch();
        else if (word === "bye") connection.close("CLOSED");
        else if (word !== "pong") connection.refuse("INVALID_REQUEST");
      },
      beat() {
        if (connection === undefined) return;
        if (missed++ >= 3) connection.close();
        else say(id, "ping");
      },
    };
  }

  const { peers: list, subscribe, revoke } = carrier;
  return {
    peers: list,
    subscribe,
    revoke,
    close() {
      clearInterval(beat);
      carrier.close();
      channel.close();
    },
  };
}

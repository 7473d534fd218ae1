// What is between the client and the server: it hands every exchange on, tells the page of it, and changes one when the page
// wants to see what becomes of it.

import { digestsOf } from "./evidence.js";

/** The digests again, as somebody in between could make them. Signatures nobody in between can make. */
async function withDigests(kind, envelope) {
  const { payloadDigest } = await digestsOf(kind, envelope);
  const { digest } = await digestsOf(kind, { ...envelope, payloadDigest });
  return { ...envelope, payloadDigest, [`${kind}Digest`]: digest };
}

const otherWay = { north: "south", south: "north", east: "west", west: "east" };
const turned = (request) => ({ ...request, payload: { move: otherWay[request.payload.move] } });
const moved = (response) => ({ ...response, payload: { ...response.payload, hasKey: !response.payload.hasKey } });

/** What can be done to the next exchange, by name. */
export const TAMPERINGS = {
  "request": { label: "Turn the move around on its way", request: turned },
  "request-digests": { label: "Turn it around and make new digests", request: (request) => withDigests("request", turned(request)) },
  "response": { label: "Change the answer on its way back", response: moved },
  "response-digests": { label: "Change it and make new digests", response: (response) => withDigests("response", moved(response)) },
};

/** `fetch` for a transport; `tell(record)` hears of each exchange: what was sent, and what came back with which status. */
export function createWire(tell) {
  let next;
  async function carry(url, options) {
    if (options?.method !== "POST") return fetch(url, options);
    const tampering = next;
    next = undefined;
    const change = async (text, how) => (how ? JSON.stringify(await how(JSON.parse(text))) : text);
    const sent = await change(options.body, tampering?.request);
    const response = await fetch(url, { ...options, body: sent });
    const answer = await response.text();
    const received = response.ok ? await change(answer, tampering?.response) : answer;
    tell({ sent: JSON.parse(sent), status: response.status, received: JSON.parse(received), tampering });
    return new Response(received, { status: response.status, headers: { "content-type": "application/json" } });
  }
  return {
    fetch: carry,
    tamper(name) {
      next = TAMPERINGS[name];
    },
  };
}

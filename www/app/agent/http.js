// Requests to a model's endpoint. The key travels in a header of this request and is written nowhere.

/** What one event, or an answer as a whole, may be. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/**
 * Posts JSON. The answer is `{ json }`, or `{ events }` where the endpoint streams: the data of each event, parsed, up to
 * `[DONE]`. What the endpoint refuses is an `Error` whose message says what the endpoint said.
 */
export async function post(url, headers, body, signal) {
  let response;
  try {
    response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      credentials: "omit",
      redirect: "error",
      signal,
    });
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new Error(`${new URL(url).host} cannot be reached, or does not allow calls from a page (CORS).`, { cause });
  }
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
  if (response.ok && isStream) return { events: eventsOf(response.body) };
  const text = await response.text();
  const answer = parse(text);
  if (response.ok && answer !== undefined) return { json: answer };
  const said = answer?.error?.message ?? answer?.message ?? text;
  throw new Error(`${new URL(url).host} answered ${response.status}: ${String(said).slice(0, 300)}`);
}

async function* eventsOf(body) {
  let left = "";
  for await (const text of textsOf(body)) {
    left += text.replaceAll("\r", "");
    if (left.length > MAX_CHARACTERS) throw new Error("The endpoint sent an event without an end.");
    const events = left.split("\n\n");
    left = events.pop();
    for (const event of events) {
      const data = event.split("\n").filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trim()).join("\n");
      if (data === "[DONE]") return;
      if (data !== "") yield JSON.parse(data);
    }
  }
}

/** Not every browser iterates over a stream. */
async function* textsOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) yield value;
  } finally {
    await reader.cancel();
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A base URL without its last slash; throws when it is no http(s) address. */
export function checkedBase(text) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["https:", "http:"].includes(url.protocol)) throw new Error("The base URL must start with https:// or http://");
  return url.href.replace(/\/+$/, "");
}

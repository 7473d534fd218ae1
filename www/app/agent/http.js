// Requests to a model's endpoint. The key travels in a header of this request and is written nowhere.

/** Posts JSON; the answer's JSON, or an `Error` whose message says what the endpoint said. */
export async function postJson(url, headers, body, signal) {
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
  const text = await response.text();
  const answer = parse(text);
  if (response.ok && answer !== undefined) return answer;
  const said = answer?.error?.message ?? answer?.message ?? text;
  throw new Error(`${new URL(url).host} answered ${response.status}: ${String(said).slice(0, 300)}`);
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

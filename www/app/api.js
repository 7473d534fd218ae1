// The backend over HTTP. It decides: what it refuses arrives here as an `ApiError` with its code.

/** A refusal of the backend, or no answer at all (`status` 0). */
export class ApiError extends Error {
  constructor(status, code, message, field) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.field = field;
  }

  /** True when the same request may well succeed a little later. */
  get transient() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

async function request(path, { method = "GET", body, signal } = {}) {
  const init = { method, signal, headers: { accept: "application/json" } };
  if (body !== undefined) {
    init.headers["content-type"] = "application/json";
    init.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, init);
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new ApiError(0, "unreachable", "The server cannot be reached.");
  }
  const answer = await readJson(response, signal);
  if (response.ok && answer !== undefined) return answer;
  const { code, message, field } = answer?.error ?? {};
  throw new ApiError(response.status, code ?? "unexpected", message ? sentence(message) : `The server answered ${response.status}.`, field);
}

function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}

async function readJson(response, signal) {
  try {
    return await response.json();
  } catch (cause) {
    if (signal?.aborted) throw cause;
    return undefined;
  }
}

/** All devices. */
export async function listDevices(signal) {
  return (await request("/api/devices", { signal })).devices;
}

export function renameDevice(id, name, signal) {
  return request(`/api/devices/${encodeURIComponent(id)}`, { method: "PATCH", body: { name }, signal });
}

/** All or nothing. */
export function disableDevices(ids, signal) {
  return request("/api/devices/disable", { method: "POST", body: { ids }, signal });
}

/** Brings the sample data back. */
export function resetDevices() {
  return request("/api/reset", { method: "POST", body: {} });
}

// Runs procedures against the backend, and says what it refused in the words an agent can act on.

import { AgentSurfaceError } from "../package.js";
import { ApiError } from "../api.js";

/** `procedures`: path → async (input, { signal, consumer }) → output. */
export function createExecutor(procedures) {
  return {
    paths: Object.keys(procedures),
    async execute({ path, input, info }) {
      try {
        return await procedures[path](input, info);
      } catch (error) {
        throw error instanceof ApiError ? asCapabilityError(error) : error;
      }
    },
  };
}

function asCapabilityError(error) {
  if (error.transient) return Object.assign(new Error(error.message, { cause: error }), { transient: true });
  return new AgentSurfaceError(payloadOf(error), { cause: error });
}

function payloadOf({ status, code, message, field }) {
  if (status === 401) return { code: "NOT_AUTHENTICATED", message, retry: "no" };
  if (status === 403) return { code: "NOT_AUTHORIZED", message, retry: "no", details: { origin: "server" } };
  const details = { origin: "server", reason: code };
  if (field !== undefined) details.field = field;
  return { code: "PRECONDITION_FAILED", message, retry: "with-changes", details };
}

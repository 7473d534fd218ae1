// The module inside the script: no second request, no address to get right. Also Node's entry, and the one of
// development servers, which move scripts without their assets.

import * as approvals from "#approvals";
import { init as createEntryInit } from "#core";
import { bytes } from "./bytes.js";

export * from "#api";
export const init = /* @__PURE__ */ createEntryInit(bytes, () => approvals);

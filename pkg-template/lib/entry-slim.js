// For libraries: brings no module, so that the app decides how it is loaded. When the app has called another entry's
// `init`, this one's is already done.

import { init as createEntryInit } from "#core";

export * from "#api";
export const init = /* @__PURE__ */ createEntryInit(undefined, () => import("#approvals"));

// Requests and responses as the page has them: frozen objects of the members, and the canonical text that they are. The
// payload is parsed when it is read. Called by `interop-drive.js`.

import { defineProperty, freeze, parse } from "./intrinsics.js";

/** `take` makes the payload of what is parsed; `before` and `behind` are the UTF-16 units of the text around its payload. */
export const envelopeOf = (text, before, behind, take) => {
  const end = text.length - behind;
  const envelope = parse(`${text.slice(0, before)}null${text.slice(end)}`);
  let payload;
  let isRead = false;
  defineProperty(envelope, "payload", {
    get() {
      if (!isRead) {
        payload = take(parse(text.slice(before, end)));
        isRead = true;
      }
      return payload;
    },
    enumerable: true,
  });
  defineProperty(envelope, "text", { value: text });
  return freeze(envelope);
};

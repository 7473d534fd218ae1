// An independent writer of canonical JSON, from the protocol's description, and random values to compare it on. Loaded by a
// page or by Node; `I` is the entry `/interop`, initialised.

/** Escapes of the description; all else below U+0020 and half surrogate pairs are `\u` and four lower-case digits. */
const SHORT = { '"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r" };

const isHalf = (units, at) => {
  const unit = units.charCodeAt(at);
  if (unit >= 0xd800 && unit <= 0xdbff) {
    const next = units.charCodeAt(at + 1);
    return !(next >= 0xdc00 && next <= 0xdfff);
  }
  if (unit >= 0xdc00 && unit <= 0xdfff) {
    const before = units.charCodeAt(at - 1);
    return !(before >= 0xd800 && before <= 0xdbff);
  }
  return false;
};

const writeString = (text) => {
  let out = '"';
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (SHORT[text[at]]) out += SHORT[text[at]];
    else if (unit < 0x20 || isHalf(text, at)) out += `\\u${unit.toString(16).padStart(4, "0")}`;
    else out += text[at];
  }
  return `${out}"`;
};

/** By UTF-16 code units, one by one. */
const compareUnits = (left, right) => {
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const difference = left.charCodeAt(at) - right.charCodeAt(at);
    if (difference) return difference;
  }
  return left.length - right.length;
};

export const write = (value) => {
  if (value === null) return "null";
  if (typeof value === "string") return writeString(value);
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  const names = Object.keys(value).sort(compareUnits);
  return `{${names.map((name) => `${writeString(name)}:${write(value[name])}`).join(",")}}`;
};

/** Mulberry32. */
const randomOf = (seed) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Compares that many random values; answers with what differs and with what was in them. */
export const compareCanonical = (I, seed, documents) => {
  const random = randomOf(seed);
  const below = (bound) => Math.floor(random() * bound);
  const found = { failures: [], numbers: 0, surrogates: 0 };
  const bits = new DataView(new ArrayBuffer(8));
  const number = () => {
    found.numbers++;
    const kind = below(4);
    if (kind === 0) return below(2 ** 31) - 2 ** 30 || 0;
    if (kind === 1) return (random() * 10 ** (below(44) - 22)) || 0;
    bits.setUint32(0, below(2 ** 32));
    bits.setUint32(4, below(2 ** 32));
    const double = bits.getFloat64(0);
    return Number.isFinite(double) && double !== 0 ? double : 5e-324;
  };
  const unit = () => {
    const kind = below(6);
    if (kind === 0) return below(0x20);
    if (kind === 1) return [0x22, 0x5c, 0x2f, 0x7f, 0x2028, 0xfeff, 0xe000, 0xffff][below(8)];
    if (kind === 2) {
      found.surrogates++;
      return 0xd800 + below(0x800);
    }
    return kind === 3 ? below(0x10000) : 0x61 + below(26);
  };
  const string = () => String.fromCharCode(...Array.from({ length: below(9) }, unit));
  const value = (depth) => {
    switch (below(depth > 0 ? 7 : 5)) {
      case 0:
        return null;
      case 1:
        return random() < 0.5;
      case 2:
      case 3:
        return number();
      case 4:
        return string();
      case 5:
        return Array.from({ length: below(6) }, () => value(depth - 1));
      default:
        return Object.fromEntries(Array.from({ length: below(6) }, () => [string(), value(depth - 1)]));
    }
  };
  for (let at = 0; at < documents && found.failures.length < 5; at++) {
    const made = [value(4), number()];
    const [ours, theirs] = [I.canonicalJson(made), write(made)];
    if (ours !== theirs) found.failures.push(`${at}: ${ours}\n${theirs}`);
  }
  return found;
};

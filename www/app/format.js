// How values read on screen.

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "narrow" });
const absolute = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
const STEPS = [[60, "second"], [60, "minute"], [24, "hour"], [30, "day"], [12, "month"], [Infinity, "year"]];

/** `2 hr. ago` for an ISO 8601 time; `—` for none or a text that is no time. */
export function timeAgo(iso, now = Date.now()) {
  const at = Date.parse(iso ?? "");
  if (Number.isNaN(at)) return "—";
  let amount = (at - now) / 1000;
  if (Math.abs(amount) < 45) return "just now";
  for (const [size, unit] of STEPS) {
    if (Math.abs(amount) < size) return relative.format(Math.round(amount), unit);
    amount /= size;
  }
  return "—";
}

/** Date and time in words, for tooltips and the drawer. */
export function dateTime(iso) {
  const at = Date.parse(iso ?? "");
  return Number.isNaN(at) ? "—" : absolute.format(at);
}

/** `1 device`, `3 devices`. */
export function count(n, noun, plural = `${noun}s`) {
  return `${n} ${n === 1 ? noun : plural}`;
}

/** `a, b and c`; past `most` names: `a, b and 4 more`. */
export function listed(names, most = 4) {
  if (names.length > most) return `${names.slice(0, most - 1).join(", ")} and ${names.length - most + 1} more`;
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** `setFilters` → `Set filters`. */
export function words(name) {
  const spaced = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll("-", " ");
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** Milliseconds as `12 ms` or `3.4 s`. */
export function duration(ms) {
  return ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** Lower case without accents, so that `krakow` finds `Kraków`. */
export function fold(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

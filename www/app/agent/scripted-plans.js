// What the scripted agent understands, and what it then does. `understand(text, tools)` gives a plan or undefined; a plan is
// a generator over a toolbox: it yields calls (an array runs in parallel), gets results, and returns its answer.

import { count, fold, listed } from "../format.js";

const FILTERS = "devices__filters__setFilters";
const ROWS = "devices__table__rows";
const PAGE = "devices__table__showPage";
const SELECT = "devices__table__selectRows";
const SELECTION = "devices__table__selection";
const CLEAR = "devices__table__clearSelection";
const OPEN = "devices__table__openDevice";
const DISABLE = "domain_devices__disable";
const RENAME = "domain_devices__rename";

export const PLANS = [
  { understand: (text) => match(text, /^(?:please )?rename (dev-\d{3}) (?:to|as) (.+)$/i, (id, name) => rename(id.toLowerCase(), unquoted(name))) },
  { understand: (text) => match(text, /^(?:please )?(?:open|show) (?:the )?(?:details of )?(dev-\d{3})$/i, (id) => open(id.toLowerCase())) },
  { understand: (text) => match(text, /^what(?:'s| is| are)? .*\bselected$/i, () => whatIsSelected) },
  { understand: (text) => match(text, /^(?:please )?(?:clear|drop|reset) (?:the |my )?selection$/i, () => clear) },
  { understand: (text) => match(text, /^(?:please )?(?:reset|clear|lift) (?:all )?(?:the )?filters$/i, () => show({ city: "all", status: "all", kind: "all", q: "" }, "device")) },
  { understand: (text) => match(text, /^(?:please )?disable (?:the |my )?(?:selection|selected devices|selected)$/i, () => disableSelection) },
  { understand: (text, tools) => overDevices(text, /^(?:please )?disable\b(.*)$/i, tools, disable) },
  { understand: (text, tools) => overDevices(text, /^(?:please )?select\b(.*)$/i, tools, select) },
  { understand: (text, tools) => overDevices(text, /^(?:please )?(?:show|list|find|filter)\b(?: me)?(.*)$/i, tools, show) },
];

function match(text, pattern, plan) {
  const found = pattern.exec(text.trim().replace(/[.?!]+$/, ""));
  return found ? plan(...found.slice(1)) : undefined;
}

function unquoted(name) {
  return name.trim().replace(/^["“'](.*)["”']$/u, "$1");
}

/** A sentence about some devices: its words must all be understood, else it is left to nobody. */
function overDevices(text, pattern, tools, plan) {
  const criteria = match(text, pattern, (rest) => criteriaOf(rest, tools));
  return criteria ? plan(criteria.filters, criteria.noun) : undefined;
}

/** Reads "the offline cameras in Milan" against the choices that the filter tool offers. */
function criteriaOf(rest, tools) {
  const properties = tools.find(({ name }) => name.endsWith(FILTERS))?.inputSchema.properties ?? {};
  const filters = { city: "all", status: "all", kind: "all", q: "" };
  let left = ` ${fold(rest)} `;
  const take = (word, field, value) => {
    const next = left.replace(new RegExp(`(?<![\\w-])${fold(word)}(?:s)?(?![\\w-])`), " ");
    if (next === left) return;
    left = next;
    filters[field] = value;
  };
  for (const field of ["city", "status", "kind"]) {
    for (const value of properties[field]?.enum ?? []) if (value !== "all") take(value, field, value);
  }
  for (const word of left.match(/dev-\d{3}/g) ?? []) take(word, "q", word);
  const unknown = left.replace(/\b(?:all|every|everything|the|of|in|at|from|and|that|which|are|is|devices?|ones?)\b/g, " ").trim();
  if (unknown !== "") return undefined;
  return { filters, noun: filters.kind === "all" ? "device" : filters.kind };
}

function describe(filters, noun, n) {
  const status = filters.status === "all" ? "" : `${filters.status} `;
  const city = filters.city === "all" ? "" : ` in ${filters.city}`;
  return `${n === 0 ? "no" : n} ${status}${noun}${n === 1 ? "" : "s"}${city}`;
}

/** Sets the filters and reads every page. Answers a text instead of rows when a call was refused. */
function* find({ call, obstacle }, filters) {
  const blocked = obstacle(FILTERS);
  if (blocked) return `I cannot filter: ${blocked}.`;
  const set = yield call(FILTERS, filters);
  if (set.status === "error") return refused("The filters did not change", set.error);
  const first = yield call(ROWS);
  if (first.status === "error") return refused("I could not read the rows", first.error);
  const rows = [...first.output.rows];
  for (let page = 2; page <= first.output.pages; page += 1) {
    const next = yield call(PAGE, { page });
    if (next.status === "error") return refused("I could not read the next page", next.error);
    rows.push(...next.output.rows);
  }
  return rows;
}

function show(filters, noun) {
  return function* (box) {
    const rows = yield* find(box, filters);
    if (typeof rows === "string") return rows;
    if (rows.length === 0) return `There are ${describe(filters, noun, 0)}.`;
    return `${rows.length === 1 ? "There is" : "There are"} ${describe(filters, noun, rows.length)}: ${listed(rows.map((row) => row.name), 6)}.`;
  };
}

function select(filters, noun) {
  return function* (box) {
    const rows = yield* find(box, filters);
    if (typeof rows === "string") return rows;
    if (rows.length === 0) return `There are ${describe(filters, noun, 0)}, so I selected nothing.`;
    const result = yield box.call(SELECT, { ids: rows.map((row) => row.id) });
    if (result.status === "error") return refused("I could not select them", result.error);
    return `Selected ${describe(filters, noun, result.output.selected)}.`;
  };
}

function disable(filters, noun) {
  return function* (box) {
    const rows = yield* find(box, filters);
    if (typeof rows === "string") return rows;
    if (rows.length === 0) return `There are ${describe(filters, noun, 0)}. Nothing to disable.`;
    const selected = yield box.call(SELECT, { ids: rows.map((row) => row.id) });
    if (selected.status === "error") return refused("I could not select them", selected.error);
    const answer = yield* disableSelection(box);
    // What was filtered by its old status has just left the table; show what became of it.
    if (filters.status !== "all" && box.obstacle(FILTERS) === undefined && answer.startsWith("Done.")) yield box.call(FILTERS, { status: "disabled" });
    return answer;
  };
}

function* disableSelection({ call, obstacle }) {
  const blocked = obstacle(DISABLE);
  if (blocked) return `I cannot disable them: ${blocked}.`;
  const result = yield call(DISABLE);
  if (result.status === "error") return refused("Nothing was disabled", result.error);
  const names = result.output.disabled.map((device) => device.name);
  return `Done. ${count(names.length, "device")} disabled: ${listed(names, 6)}.`;
}

function open(id) {
  return function* ({ call, obstacle }) {
    const blocked = obstacle(OPEN);
    if (blocked) return `I cannot open it: ${blocked}.`;
    const result = yield call(OPEN, { id });
    if (result.status === "error") return refused(`I could not open ${id}`, result.error);
    const details = yield call("__details");
    if (details.status === "error") return `${id} is open.`;
    const { name, kind, city, status } = details.output;
    return `${name} is open: a ${kind} in ${city}, ${status}.`;
  };
}

function rename(id, name) {
  return function* ({ call, obstacle }) {
    const blocked = obstacle(OPEN);
    if (blocked) return `I cannot open it: ${blocked}.`;
    const opened = yield call(OPEN, { id });
    if (opened.status === "error") return refused(`I could not open ${id}`, opened.error);
    const result = yield call(RENAME, { name });
    if (result.status === "error") return refused(`${id} keeps its name`, result.error);
    return `${id} is now called ${result.output.device.name}.`;
  };
}

function* whatIsSelected({ call }) {
  const result = yield call(SELECTION);
  if (result.status === "error") return refused("I could not read the selection", result.error);
  const { count: n, devices } = result.output;
  return n === 0 ? "Nothing is selected." : `${count(n, "device")} selected: ${listed(devices.map((device) => device.name), 8)}.`;
}

function* clear({ call, obstacle }) {
  const blocked = obstacle(CLEAR);
  if (blocked) return `${blocked}.`;
  const result = yield call(CLEAR);
  return result.status === "error" ? refused("The selection stays", result.error) : "The selection is clear.";
}

/** Says why, with the words of the person who denied it. */
function refused(what, { code, message, details }) {
  if (code === "CONFIRMATION_INVALID" && details?.reason === "denied") {
    return details.note ? `${what}: you denied it, saying “${details.note}”.` : `${what}: you denied it.`;
  }
  if (code === "CONFIRMATION_INVALID" && details?.reason === "expired") return `${what}: nobody answered in time.`;
  return `${what}: ${message}`;
}

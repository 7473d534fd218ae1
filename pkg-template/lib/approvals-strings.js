// Every word that `<agent-approvals>` shows or says. A page replaces any of them through `element.strings`; a value is a
// text or a function `(request, count) => text`, where `request` is the request shown and `count` what is counted
// (items, fields, characters or seconds).

const EFFECTS = {
  read: ["Read", ""],
  "local-state": ["Changes this page", ""],
  navigation: ["Navigation", ""],
  "server-query": ["Server query", ""],
  "server-mutation": ["Changes data", ""],
  "external-side-effect": ["External effect", "Reaches people or systems outside this app."],
  destructive: ["Destructive", "May not be possible to undo."],
};

const KINDS = {
  embedded: "agent in this page",
  webmcp: "browser agent",
  "mcp-bridge": "remote agent",
  test: "test",
};

const plural = (one, many) => (_, count) => (count === 1 ? one : `${count.toLocaleString("en")} ${many}`);
const clock = (seconds) => `${Math.floor(seconds / 60)}:${`${seconds % 60}`.padStart(2, "0")}`;
/** What the heading can hold; a longer description follows it as a paragraph. */
const HEADING_CHARACTERS = 80;

export const DEFAULT_STRINGS = {
  eyebrow: "Approval needed",
  queue: ({ position, total }) => (total > 1 ? `${position} of ${total}` : ""),
  expires: (_, seconds) => `Expires in ${clock(seconds)}`,
  heading: ({ title, description }) =>
    title || (description.length <= HEADING_CHARACTERS && description) || "Approve this action?",
  effect: ({ effect }) => EFFECTS[effect]?.[0] ?? effect,
  warning: ({ effect }) => EFFECTS[effect]?.[1] ?? "",
  askedBy: "Asked by",
  consumerKind: ({ consumer }) => KINDS[consumer.kind] ?? "other agent",
  action: "Action",
  instance: "On",
  input: "Input",
  noInput: "No input",
  emptyList: "empty list",
  emptyObject: "no fields",
  items: plural("1 item", "items"),
  fields: plural("1 field", "fields"),
  characters: plural("1 character", "characters"),
  more: (_, count) => `Show ${count.toLocaleString("en")} more`,
  invisible: "Contains characters that cannot be seen. They are shown by their code, as U+200B.",
  callerGone: "The agent no longer waits for the answer. Approved, the action runs only if the agent asks again.",
  reason: "Reason (optional)",
  deny: "Deny",
  approve: "Approve",
  hint: "Esc denies",
  saidApproved: "Approved.",
  saidDenied: "Denied.",
  saidExpired: "The request expired. Nothing was done.",
  saidWithdrawn: "The request was withdrawn or answered elsewhere.",
  saidRefused: "A script tried to answer this request. It was ignored.",
  saidNext: "Another request needs your approval.",
  saidLeft: (_, seconds) => `${seconds} seconds left to answer.`,
};

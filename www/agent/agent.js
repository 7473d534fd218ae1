// An agent of another company, as simple as one can be: it connects to the page that shows it, asks what it may do, and does
// it. All that it has of the page is a `SurfaceClient`.

import { SurfaceClient } from "/pkg/dist/surface-client.js";
import { WORDS } from "./words.js";

const language = new URLSearchParams(location.search).get("lang") === "zh" ? "zh" : "en";
const words = WORDS[language];
document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
document.title = words.name;

const MOST = 40;
const time = new Intl.DateTimeFormat(language, { timeStyle: "short", hourCycle: "h23" });

const make = (tag, className, text = "") => Object.assign(document.createElement(tag), { className, textContent: text });
const button = (name, text, act) => {
  const element = make("button", "button", text);
  element.type = "button";
  element.dataset.act = name;
  element.addEventListener("click", act);
  return element;
};

const state = make("span", "agent-state");
const log = make("ol", "agent-log");
log.setAttribute("aria-label", words.log);
log.setAttribute("aria-live", "polite");

/** One line of what it did; `tone` is how it went. */
function say(text, tone = "plain") {
  const line = make("li", "agent-line", text);
  line.dataset.tone = tone;
  log.append(line);
  while (log.children.length > MOST) log.firstChild.remove();
  log.scrollTop = log.scrollHeight;
}

let client;
let leaving;

function show(name, detail = "") {
  document.body.dataset.state = name;
  state.textContent = detail ? `${words.states[name]} · ${detail}` : words.states[name];
  for (const act of acts) act.disabled = name !== "connected";
  connectButton.hidden = name === "connected" || name === "connecting";
}

async function connect() {
  show("connecting");
  try {
    // The page is on the same machine; its port the server knows. Nothing but this exact origin is ever talked to.
    const { pages } = await (await fetch("/ports.json")).json();
    const origin = `${location.protocol}//${location.hostname}:${pages}`;
    client = await SurfaceClient.connect({ origin, name: words.name });
  } catch (error) {
    show("refused");
    say(words.refusedConnection(error.code ?? error.message), "bad");
    return;
  }
  show("connected", words.until(time.format(new Date(client.session.expiresAt))));
  client.onChange(() => say(words.changed));
  client.closed.then((code) => {
    show("ended");
    say(words.ended(code), "bad");
  });
}

/** Looks at both kinds of failure: an exchange that succeeded says nothing about its action. */
function tell(response, render) {
  const { ok, error, result } = response;
  if (!ok) say(words.refusedExchange(error.code), "bad");
  else if (result.error) say(words.refusedAction(result.error.code, result.error.details?.note ?? result.error.details?.reason), "warn");
  else say(render(result), "good");
}

async function describe() {
  tell(await client.describe(), ({ capabilities, context }) => words.described(capabilities.map(({ id }) => id), context.records.length, context.total));
}

async function invoke(capability, input, render) {
  say(`${capability}${input ? ` ${JSON.stringify(input)}` : ""}`, "call");
  tell(await client.invoke(capability, input), ({ output }) => render(output));
}

async function clearCompleted() {
  say("todo.clear_completed", "call");
  say(words.asking);
  leaving = new AbortController();
  stopButton.hidden = false;
  tell(await client.invoke("todo.clear_completed", undefined, { signal: leaving.signal }), ({ output }) => words.cleared(output));
  stopButton.hidden = true;
}

const acts = [
  button("describe", words.describe, describe),
  button("overview", words.overview, () => invoke("todo.overview", undefined, words.counted)),
  button("add", words.add, () => invoke("todo.add", { text: words.task }, words.added)),
  button("clear", words.clear, clearCompleted),
];
const stopButton = button("stop", words.stop, () => leaving.abort());
stopButton.hidden = true;
const connectButton = button("connect", words.connect, connect);

const head = make("header", "agent-head");
head.append(make("h1", "", words.name), state, connectButton);
const row = make("div", "agent-acts");
row.append(...acts, stopButton);
document.getElementById("agent").append(head, row, log);
say(words.hello);
connect();

// The look of `<agent-approvals>`: light and dark, forced colours, reduced motion. What a page may change is a custom
// property `--agent-approvals-…` or a `part`. Adopted as a constructed sheet, so that a CSP without inline styles holds.

const CSS = `
:host {
  all: initial; display: block; color-scheme: light dark;
  --bg: var(--agent-approvals-background, light-dark(#fff, #17191d));
  --text: var(--agent-approvals-text, light-dark(#16181d, #eceef2));
  --muted: var(--agent-approvals-muted, light-dark(#596070, #a3a9b6));
  --line: var(--agent-approvals-border, light-dark(#d9dce3, #353a44));
  --code: var(--agent-approvals-surface, light-dark(#f6f7f9, #1f2228));
  --accent: var(--agent-approvals-accent, light-dark(#1d4ed8, #8fb0ff));
  --on-accent: var(--agent-approvals-accent-text, light-dark(#fff, #0b1020));
  --danger: var(--agent-approvals-danger, light-dark(#b42318, #ff9a8f));
  --on-danger: var(--agent-approvals-danger-text, light-dark(#fff, #2a0906));
  --warning: var(--agent-approvals-warning, light-dark(#93470d, #fdc46a));
  --mono: var(--agent-approvals-mono, ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace);
  --radius: var(--agent-approvals-radius, 10px);
  font: 14px/1.45 var(--agent-approvals-font, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif);
  color: var(--text);
}
:host([theme=light]) { color-scheme: light }
:host([theme=dark]) { color-scheme: dark }
:host([hidden]) { display: none }
* { box-sizing: border-box; margin: 0 }
dialog {
  width: auto; max-width: none; padding: 16px 18px; color: inherit; background: var(--bg); overflow: auto;
  border: 1px solid var(--line); border-radius: var(--radius); --effect: var(--muted);
  box-shadow: 0 1px 2px rgb(0 0 0 / .06), 0 6px 20px -8px rgb(0 0 0 / .18);
}
dialog:not(:modal) { position: static }
dialog:modal { width: min(34rem, 100% - 24px); margin: auto }
dialog::backdrop { background: rgb(8 10 14 / .5) }
.external-side-effect { --effect: var(--warning) }
.destructive { --effect: var(--danger); --accent: var(--danger); --on-accent: var(--on-danger) }
.destructive, .external-side-effect { background: linear-gradient(var(--effect) 3px, var(--bg) 0) }
header, footer, .row { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 10px }
header { color: var(--muted); font-size: 12px; font-variant-numeric: tabular-nums }
[part=eyebrow] { font-weight: 600 }
[part=queue]:not(:empty) { padding: 0 7px; border: 1px solid var(--line); border-radius: 99px }
[part=timer] { margin-inline-start: auto }
[part=timer].urgent { color: var(--danger); font-weight: 600 }
h2 { margin-block: 6px 8px; font-size: 17px; line-height: 1.3; font-weight: 650; letter-spacing: -.01em; text-wrap: balance }
[part=badge] {
  padding: 1px 8px; border: 1px solid; border-radius: 5px; font-size: 12px; font-weight: 600; color: var(--effect);
  background: color-mix(in srgb, var(--effect) 7%, var(--bg));
}
[part=warning] { color: var(--effect); font-size: 13px }
[part=summary], [part=description], [part=gone], [part=invisible] { margin-block-start: 10px }
[part=description] { color: var(--muted) }
[part=invisible], [part=gone] { color: var(--warning); font-size: 13px }
h2, p, dd, dt, li, summary { overflow-wrap: anywhere }
dl { display: grid; grid-template-columns: fit-content(40%) 1fr; gap: 3px 14px; align-items: baseline }
dt { color: var(--muted) }
dd { min-width: 0 }
[part=facts] { margin-block: 12px; font-size: 13px }
h3, label { display: block; margin-block-end: 4px; font-size: 12px; font-weight: 600; color: var(--muted) }
code, [part=input] { font: 12.5px/1.5 var(--mono) }
[part=input] {
  max-height: var(--agent-approvals-input-height, 15rem); padding: 8px 10px; overflow: auto; background: var(--code);
  border: 1px solid var(--line); border-radius: 6px; scrollbar-width: thin;
}
[part=input] .wide { grid-column: 1 / -1; padding-inline-start: 10px; border-inline-start: 1px solid var(--line) }
ol { padding-inline-start: 2.6em }
li::marker { color: var(--muted) }
bdi { display: inline-block; max-width: 100%; overflow: clip; white-space: pre-wrap; vertical-align: top }
.quoted::before, .quoted::after { content: '"'; color: var(--muted) }
summary { cursor: pointer }
summary bdi { display: inline; white-space: normal }
[open] > summary bdi { display: none }
summary span, .none { color: var(--muted) }
mark {
  padding: 0 3px; border: 1px solid; border-radius: 3px; font: 600 11px var(--mono); color: var(--warning);
  background: color-mix(in srgb, var(--warning) 10%, var(--bg)); unicode-bidi: isolate; direction: ltr;
}
.break { color: var(--muted) }
.field { margin-block: 12px }
input, button { font: inherit; color: inherit; border: 1px solid var(--line); border-radius: 7px; background: var(--bg) }
input { width: 100%; padding: 6px 9px }
button { padding: 4px 10px; cursor: pointer }
footer button { min-width: 6.5rem; min-height: 36px; font-weight: 600 }
input, footer button { border-color: light-dark(#868c9a, #737b8a) }
[part=approve] { color: var(--on-accent); background: var(--accent); border-color: var(--accent) }
button:hover { filter: brightness(.95) }
[part=hint] { margin-inline-end: auto; color: var(--muted); font-size: 12px }
:focus-visible { outline: 2px solid var(--agent-approvals-focus, light-dark(#1d4ed8, #8fb0ff)); outline-offset: 2px }
[role=status] { font-size: 13px; color: var(--warning) }
[role=status]:not(:empty) { margin-block-start: 10px }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
@media (pointer: coarse) { footer button { min-height: 44px } [part=hint] { visibility: hidden } }
@media (max-width: 400px) { [part=hint] { display: none } footer button { flex: 1 } }
@media (prefers-reduced-motion: no-preference) {
  footer button { animation: ready .4s }
  @keyframes ready { from { opacity: .45 } }
}
@media (forced-colors: active) { [part=approve] { border-width: 2px } }
`;

let sheet;

/** The one sheet that all elements of the page share. */
export function styleSheet() {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(CSS);
  }
  return sheet;
}

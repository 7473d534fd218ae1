// The row of links on top of every page of the demo: fills each `<nav class="pages">` in the document's language.

const PAGES = [
  { path: "/", en: "Device console", zh: "设备控制台" },
  { path: "/queue/", en: "Support queue", zh: "支持队列" },
  { path: "/grid/", en: "Grid world", zh: "网格世界" },
  { path: "/docs/", en: "Documentation", zh: "文档（英文）" },
];
const LABELS = { en: "Pages of the demo", zh: "演示页面" };

const language = document.documentElement.lang.startsWith("zh") ? "zh" : "en";

function linkTo(page) {
  const link = document.createElement("a");
  link.href = page.path;
  link.textContent = page[language];
  // `/docs/` has pages below it; `/` begins every address.
  const isCurrent = page.path === "/" ? location.pathname === "/" : location.pathname.startsWith(page.path);
  if (isCurrent) link.setAttribute("aria-current", "page");
  return link;
}

for (const nav of document.querySelectorAll("nav.pages")) {
  const name = document.createElement("span");
  name.className = "pages-name mono";
  name.textContent = "agent-surface-wasm";
  nav.setAttribute("aria-label", LABELS[language]);
  nav.replaceChildren(name, ...PAGES.map(linkTo));
}

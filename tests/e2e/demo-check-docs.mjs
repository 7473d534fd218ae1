// The documentation: every page is there and fits, wide and narrow, and every link inside leads somewhere.

const START = "/docs/";

function docs({ page, url, folder }) {
  return {
    page,
    url,
    async open() {
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.goto(new URL(START, url).href);
    },
    shot: (name) => page.screenshot({ path: `${folder}/${name}.png` }),
  };
}

/** The addresses below the start that a page links to, with their anchors. */
const linksOf = (page) =>
  page.evaluate((start) => Array.from(document.querySelectorAll("a[href]"), ({ href }) => href).filter((href) => new URL(href).origin === location.origin && new URL(href).pathname.startsWith(start)), START);

async function leadsSomewhere(demo, report) {
  const pages = new Map();
  const dead = [];
  const wanted = new Set();
  const waiting = [new URL(START, demo.url).href];
  while (waiting.length > 0) {
    const address = waiting.pop();
    if (pages.has(address)) continue;
    const response = await demo.page.goto(address);
    if (response.status() !== 200) dead.push(`${address}: ${response.status()}`);
    pages.set(address, new Set(await demo.page.evaluate(() => Array.from(document.querySelectorAll("[id]"), ({ id }) => id))));
    for (const link of await linksOf(demo.page)) {
      wanted.add(link);
      waiting.push(link.split("#")[0]);
    }
  }
  for (const link of wanted) {
    const [address, anchor] = link.split("#");
    if (anchor && !pages.get(address).has(decodeURIComponent(anchor))) dead.push(link);
  }
  report.holds("there are pages for beginners and a reference", pages.size > 20, `${pages.size} pages`);
  report.equal("no link inside is dead", dead, []);
  const paths = Array.from(pages.keys(), (address) => new URL(address).pathname);
  report.equal("every entry with types of its own has a page", ["main", "react", "targets", "surface", "surface-client", "interop", "schema", "testing"].filter((name) => !paths.some((path) => path.endsWith(`/reference/${name}.html`))), []);
}

/** Of these a person sees screenshots. */
const SHOWN = ["index", "getting-started", "concepts", "reference/main"];

async function looks(demo, report) {
  await demo.open();
  const links = await demo.page.evaluate(() => Array.from(document.querySelectorAll(".side a"), ({ href }) => href));
  for (const [name, width, colorScheme] of [["wide-light", 1280, "light"], ["narrow-dark", 390, "dark"]]) {
    await demo.page.emulateMedia({ colorScheme });
    await demo.page.setViewportSize({ width, height: 900 });
    const wider = [];
    for (const link of links) {
      await demo.page.goto(link);
      const path = new URL(link).pathname.slice(START.length).replace(/\.html$/, "");
      const isWider = await demo.page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
      if (isWider) wider.push(path);
      if (SHOWN.includes(path)) await demo.shot(`docs-${path.replace("/", "-")}-${name}`);
    }
    report.equal(`no page is wider than its window (${name})`, wider, []);
  }
}

export const open = docs;

export const CHAPTERS = [
  ["Every link leads somewhere", leadsSomewhere],
  ["Wide and narrow, light and dark", looks],
];

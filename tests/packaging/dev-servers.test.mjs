// The packed package from development servers, with no setting for it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import webpack from "webpack";
import WebpackDevServer from "webpack-dev-server";
import { launch } from "../e2e/harness/browser.mjs";
import { VITE, webpackOptions } from "./bundlers.mjs";
import { page, titleAt } from "./pages.mjs";
import { ALL, POST, SHOW, WORKER, asModule } from "./programs.mjs";
import { project } from "./project.mjs";

const PAGES = {
  "a page with every entry": { "app.js": asModule(ALL) + SHOW },
  "a worker with every entry": { "app.js": WORKER, "worker.js": asModule(ALL) + POST },
};
const SERVERS = {
  ...Object.fromEntries(Object.entries(VITE).map(([name, { createServer }]) => [name, async (made) => {
    const server = await createServer({ root: made.folder, logLevel: "error", server: { host: "127.0.0.1", port: 0 } });
    await server.listen();
    return { port: server.httpServer.address().port, close: () => server.close() };
  }])),
  "webpack-dev-server": async (made) => {
    const compiler = webpack({ ...webpackOptions(made, "development"), infrastructureLogging: { level: "error" }, stats: "errors-only" });
    const options = { host: "127.0.0.1", port: 0, hot: true, static: made.folder, client: { logging: "error" } };
    const server = new WebpackDevServer(options, compiler);
    await server.start();
    return { port: server.server.address().port, close: () => server.stop() };
  },
};

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

for (const [name, start] of Object.entries(SERVERS)) {
  for (const [what, files] of Object.entries(PAGES)) {
    test(`${name} serves ${what}`, async () => {
      const made = await project({ "index.html": page(name in VITE ? "/app.js" : "/main.js"), ...files });
      try {
        const server = await start(made);
        try {
          assert.equal(await titleAt(browser, `http://127.0.0.1:${server.port}/`), ALL.answer);
        } finally {
          await server.close();
        }
      } finally {
        await made.remove();
      }
    });
  }
}

// Runs by itself, without the tests' evaluation, which a policy would not bind. The entry is `?entry=`; what happened
// is written into the page, as JSON.

const entry = new URLSearchParams(location.search).get("entry") ?? "index.js";
const A = await import(`/pkg/dist/${entry}`);

const fault = async (run) => {
  try {
    await run();
    return "nothing was thrown";
  } catch ({ name, code, message, details, cause }) {
    return { name, code, message, details, cause: cause?.name };
  }
};

const report = {};
report.init = await fault(() => A.init());
report.again = await fault(() => A.init());
report.eval = await fault(() => new Function("return 1"));
report.use = await fault(() => A.createAgentSurfaceRegistry());
const button = document.body.appendChild(document.createElement("button"));
button.addEventListener("click", () => (report.page = "runs"));
button.click();
if (report.init === "nothing was thrown") {
  const registry = A.createAgentSurfaceRegistry();
  const input = A.fromJsonSchema({
    type: "object",
    properties: { code: { type: "string", pattern: "^[A-Z]{2}\\d+$" }, at: { type: "string", format: "date-time" } },
    required: ["code"],
  });
  registry.register({
    type: "demo",
    description: "A demo",
    actions: { go: A.action({ description: "Go", input, effect: "local-state", execute: ({ code }) => code }) },
  });
  const call = async (given) => {
    const { output, error } = await registry.invoke({ capabilityId: "view:demo.go", input: given });
    return output ?? error.code;
  };
  report.calls = [await call({ code: "AB12" }), await call({ code: "ab12" }), await call({ code: "AB12", at: "soon" })];
}
document.body.appendChild(document.createElement("output")).textContent = JSON.stringify(report);

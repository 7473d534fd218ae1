// In place of a model: the tools that one would be given, and the results that it would read. The history shows results
// as data, so that those of a task that is gone stay.

import { useState, useSyncExternalStore } from "react";
import { useToolset } from "agent-surface-wasm/react";

const CONSUMER = { id: "copilot", kind: "embedded" };

/** What a model would say for `add`; every other tool takes nothing. */
const inputFor = ({ inputSchema }) => (inputSchema.required?.includes("title") ? { title: "Call the dentist" } : {});

const said = ({ status, output, error }) => (status === "ok" ? JSON.stringify(output ?? "done") : error.code);

export function Copilot() {
  const toolset = useToolset({ consumer: CONSUMER, topology: "embedded" });
  const tools = useSyncExternalStore(toolset.subscribe, toolset.tools, toolset.tools);
  const [history, setHistory] = useState([]);

  const run = async (tool) => {
    const result = await tool.execute(inputFor(tool));
    setHistory((before) => [...before, { name: tool.name, result }].slice(-5));
  };

  return (
    <aside className="card">
      <header>
        <h2>What an agent sees</h2>
        <p>{tools.length} tools</p>
      </header>
      <ul className="tools">
        {tools.map((tool) => (
          <li key={tool.name}>
            <button title={tool.description} disabled={!tool.state.available} onClick={() => run(tool)}>
              {tool.name}
            </button>
          </li>
        ))}
      </ul>
      <ol className="history" aria-live="polite">
        {history.map(({ name, result }) => (
          <li key={result.invocationId}>
            <b>{name}</b> {said(result)}
          </li>
        ))}
      </ol>
    </aside>
  );
}

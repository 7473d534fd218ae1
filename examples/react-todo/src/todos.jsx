// A list of tasks: what a person does with it and what an agent may do with it stand side by side, over one state.

import { useState } from "react";
import { action, emptyObjectSchema, fromJsonSchema, observation } from "agent-surface-wasm";
import { useAgentCapabilities, useAgentComponent } from "agent-surface-wasm/react";

const START = [
  { id: "1", title: "Water the plants", isDone: true },
  { id: "2", title: "Write to Ada", isDone: false },
  { id: "3", title: "Book the train", isDone: false },
];

const TITLE = fromJsonSchema({
  type: "object",
  properties: { title: { type: "string", minLength: 1, maxLength: 80 } },
  required: ["title"],
  additionalProperties: false,
});

const TASKS = fromJsonSchema({
  type: "array",
  items: { type: "object", properties: { id: { type: "string" }, title: { type: "string" }, isDone: { type: "boolean" } } },
});

export function Todos() {
  const [todos, setTodos] = useState(START);
  const [text, setText] = useState("");
  const done = todos.filter(({ isDone }) => isDone);

  const add = (title) => setTodos([...todos, { id: String(1 + Math.max(0, ...todos.map(({ id }) => +id))), title, isDone: false }]);
  const toggle = (id) => setTodos(todos.map((todo) => (todo.id === id ? { ...todo, isDone: !todo.isDone } : todo)));
  const clear = () => setTodos(todos.filter(({ isDone }) => !isDone));

  useAgentComponent({
    type: "todos.list",
    description: "Today's tasks.",
    observations: { tasks: observation({ description: "All tasks, with their ids.", output: TASKS, read: () => todos }) },
    actions: {
      add: action({ description: "Adds a task.", input: TITLE, effect: "local-state", execute: ({ title }) => add(title) }),
      clearDone: action({
        description: "Removes the tasks that are done.",
        input: emptyObjectSchema,
        effect: "local-state",
        confirmation: "required",
        when: () => done.length > 0,
        unavailableReason: "Nothing is done",
        execute: clear,
      }),
    },
  });

  useAgentCapabilities(
    todos.map(({ id }) => ({
      type: "todos.task",
      instanceId: id,
      description: "One task.",
      actions: {
        toggle: action({ description: "Marks it as done, or as open.", input: emptyObjectSchema, effect: "local-state", execute: () => toggle(id) }),
      },
    })),
  );

  const submit = (event) => {
    event.preventDefault();
    if (text.trim()) add(text.trim());
    setText("");
  };

  return (
    <main className="card">
      <header>
        <h1>Today</h1>
        <p>{done.length} of {todos.length} done</p>
      </header>
      <ul className="tasks">
        {todos.map(({ id, title, isDone }) => (
          <li key={id}>
            <label>
              <input type="checkbox" checked={isDone} onChange={() => toggle(id)} />
              <span>{title}</span>
            </label>
          </li>
        ))}
      </ul>
      <form onSubmit={submit}>
        <input value={text} onChange={(event) => setText(event.target.value)} placeholder="Another task" aria-label="Another task" />
        <button>Add</button>
      </form>
    </main>
  );
}

// The support queue itself: plain state and plain functions. It knows nothing of agents.

export class Queue {
  #tasks = [];
  #listeners = new Set();
  #last = 0;

  /** `tasks`: `{ text, completed? }`, in their order. */
  constructor(tasks) {
    for (const { text, completed = false } of tasks) this.#tasks.push(this.#make(text, completed));
  }

  #make(text, completed) {
    this.#last += 1;
    return { id: `task-${this.#last}`, text, completed };
  }

  rows() {
    return this.#tasks.map((task) => ({ ...task }));
  }

  counts() {
    const completed = this.#tasks.filter((task) => task.completed).length;
    return { total: this.#tasks.length, open: this.#tasks.length - completed, completed };
  }

  add(text) {
    const task = this.#make(text.trim(), false);
    this.#tasks.push(task);
    this.#announce();
    return { ...task };
  }

  setCompleted(id, completed) {
    const task = this.#tasks.find((each) => each.id === id);
    if (!task) throw new Error(`there is no task \`${id}\``);
    task.completed = completed;
    this.#announce();
    return { ...task };
  }

  clearCompleted() {
    const before = this.#tasks.length;
    this.#tasks = this.#tasks.filter((task) => !task.completed);
    this.#announce();
    return { removed: before - this.#tasks.length };
  }

  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #announce() {
    for (const listener of [...this.#listeners]) listener();
  }
}

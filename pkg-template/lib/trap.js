// What tells a broken module from whatever else may be thrown on the way into it. Called by `realm.js` and `apart.js`.

/** Whether it is a panic, or what the engine itself stops a module for. */
export const isTrap = (error) =>
  String(error?.message).startsWith("panic: ") || /^(Runtime|Range|Internal)Error$/.test(error?.name);

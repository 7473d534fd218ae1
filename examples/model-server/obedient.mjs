// A model that does what it is told: each line `call NAME {…}` is a turn with a call of the tool whose name ends with NAME; ` & `
// between calls makes them at once. After the last line it says what came of them. So it works with any tools.

/** The script for `startModelServer`. */
export const obedient = ({ asked, round, results, tools }) => {
  const lines = asked.split("\n").filter((line) => line.startsWith("call "));
  if (round >= lines.length) return { text: told(lines, results) };
  const calls = lines[round].split(" & ").map((each) => callOf(each.replace(/^call /, ""), tools));
  return { text: `I call ${calls.map(({ name }) => name).join(" and ")}.`, calls };
};

const callOf = (text, tools) => {
  const [, suffix, args] = /^(\S+)\s*(.*)$/.exec(text);
  const tool = tools.find(({ name }) => name.endsWith(suffix));
  return { name: tool?.name ?? suffix, text: args || "{}" };
};

const told = (lines, results) => {
  if (lines.length === 0) return 'I only do what I am told, in lines like: call NAME {"field": 1}';
  const failed = results.filter(({ text, isError }) => isError || text.startsWith('{"ok":false'));
  return `${results.length} results, ${failed.length} of them errors.`;
};

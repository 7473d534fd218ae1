// The page's language: `?lang=en` or `?lang=zh`, and without either the browser's. The document says it to its stylesheets,
// to screen readers and to the row of links.

const asked = new URLSearchParams(location.search).get("lang");
const isChinese = asked === "zh" || (asked !== "en" && navigator.language.startsWith("zh"));

export const language = isChinese ? "zh" : "en";
document.documentElement.lang = isChinese ? "zh-Hans" : "en";

// Lays out JSON for reading. It works on the text, token by token, and never through `JSON.parse`: every digit of an
// integer stays as it was written.

const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^[\]{},:"\s]+/g;

/** A map or a list that is no longer than this stays on its line. */
const SHORT = 48;

/** Above this many characters, colours would cost more than they help. */
const PLAIN_FROM = 300_000;

/** The text, laid out. */
export const laidOut = (text) => parts(text).map((part) => part.text).join("");

/** The nodes that show `text`: a span for each token that has a colour. */
export function pretty(text) {
  if (text.length > PLAIN_FROM) return [laidOut(text)];
  return parts(text).map((part) => {
    if (!part.kind) return part.text;
    const span = document.createElement("span");
    span.className = part.kind;
    span.textContent = part.text;
    return span;
  });
}

function parts(text) {
  const tokens = text.match(TOKEN) ?? [];
  const short = shortOnes(tokens);
  const out = [];
  const open = [];
  const lineBreak = () => out.push({ text: `\n${"  ".repeat(open.length)}` });
  tokens.forEach((token, index) => {
    if (token === "{" || token === "[") {
      out.push({ text: token });
      // Within a short one, everything is short.
      open.push(short.has(index));
      if (!open.at(-1)) lineBreak();
    } else if (token === "}" || token === "]") {
      if (!open.pop()) lineBreak();
      out.push({ text: token });
    } else if (token === ",") {
      out.push({ text: open.at(-1) ? ", " : "," });
      if (!open.at(-1)) lineBreak();
    } else if (token === ":") {
      out.push({ text: ": " });
    } else {
      out.push({ kind: kindOf(token, tokens[index + 1]), text: token });
    }
  });
  return out;
}

/** Where the maps and lists begin that stay on their line. The outermost never does. */
function shortOnes(tokens) {
  const short = new Set();
  const open = [];
  let length = 0;
  tokens.forEach((token, index) => {
    if (token === "{" || token === "[") open.push({ index, from: length });
    length += token.length;
    if (token === "}" || token === "]") {
      const { index: start, from } = open.pop();
      if (length - from <= SHORT && (open.length > 0 || length <= 2)) short.add(start);
    }
  });
  return short;
}

function kindOf(token, next) {
  if (token.startsWith('"')) return next === ":" ? "key" : "string";
  return /^[-\d]/.test(token) ? "number" : "word";
}

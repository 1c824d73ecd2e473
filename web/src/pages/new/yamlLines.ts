/** The lines of a YAML text as far as its structure needs them: flow collections joined, quotes and comments skipped. */

/** A line, with the following lines that its flow collection goes on to. */
export interface Line {
  from: number;
  text: string;
}

export function* logicalLines(text: string): Generator<Line> {
  let from = 0;
  let depth = 0;
  let start = 0;
  while (from <= text.length) {
    const newline = text.indexOf("\n", from);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(from, end);
    // A key at the margin ends a flow collection that was never closed.
    if (depth > 0 && /^[A-Za-z_]\w*:(\s|$)/.test(line)) {
      yield { from: start, text: text.slice(start, from) };
      depth = 0;
    }
    if (depth === 0) start = from;
    depth = depthAfter(line, depth);
    if (depth === 0) yield { from: start, text: text.slice(start, end) };
    if (newline < 0) break;
    from = end + 1;
  }
  if (depth > 0) yield { from: start, text: text.slice(start) };
}

/** How many flow collections are open after a line. */
function depthAfter(line: string, depth: number): number {
  if (depth === 0 && !/(^|[:\s-])[{[]/.test(line)) return 0;
  let open = depth;
  for (const { char } of significant(line)) {
    if (char === "{" || char === "[") open += 1;
    if (char === "}" || char === "]") open = Math.max(0, open - 1);
  }
  return open;
}

/** The characters of a text outside quotes and comments. */
export function* significant(text: string): Generator<{ char: string; index: number }> {
  let quote = "";
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index] ?? "";
    if (quote) {
      if (char === quote) quote = "";
      else if (char === "\\" && quote === '"') index += 1;
    } else if ((char === '"' || char === "'") && /[\s{[,:]/.test(text[index - 1] ?? " ")) {
      quote = char;
    } else if (char === "#" && /\s/.test(text[index - 1] ?? " ")) {
      const newline = text.indexOf("\n", index);
      if (newline < 0) return;
      index = newline - 1;
    } else {
      yield { char, index };
    }
  }
}

export function indentOf(text: string): { column: number; rest: string } {
  const column = /^ */.exec(text)?.[0].length ?? 0;
  return { column, rest: text.slice(column) };
}

export const unquoted = (text: string): string => text.replace(/^(["'])(.*)\1$/, "$2");

/** A scalar's text, without quotes or the comment behind it. */
export function scalarOf(text: string): string {
  const quoted = /^\s*(["'])(.*?)\1/.exec(text);
  return quoted ? (quoted[2] ?? "") : text.replace(/(^|\s)#.*$/, "").trim();
}

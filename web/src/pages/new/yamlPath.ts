/**
 * Where a cursor is in a campaign file, from text that need not be valid YAML yet. It follows indentation and flow
 * collections, and knows neither anchors nor multi-line plain scalars.
 */
import { indentOf, type Line, logicalLines, scalarOf, significant, unquoted } from "./yamlLines";

export type Step = string | number;

/** What a file has so far, by path (see `pathKey`). */
export interface Outline {
  /** Text of each scalar. */
  values: Map<string, string>;
  /** Keys of each mapping, in order. */
  keys: Map<string, string[]>;
}

export interface Cursor {
  /** The mapping whose key is typed, or the place of the value that is typed. */
  path: Step[];
  at: "key" | "value";
  /** Also a value may stand here: the cursor is right after a list's dash. */
  orValue: boolean;
  /** What has been typed of the key or value, and where it begins. */
  word: string;
  from: number;
  flow: boolean;
}

export const pathKey = (path: readonly Step[]): string => path.join("\n");

interface Frame {
  indent: number;
  path: Step[];
  sequence: boolean;
  index: number;
  /** Path of the key or item that was opened last. */
  last: Step[];
}

const KEY = /^("[^"]*"|'[^']*'|[^\s#{}[\],'"&*!|>%@`][^#]*?)\s*:(?=\s|$)\s*/;
const DASH = /^-(\s+|$)/;

export function outlineOf(text: string): Outline {
  const scan = newScan();
  for (const line of logicalLines(text)) readLine(scan, line.text);
  return scan.outline;
}

export function cursorAt(text: string, offset: number): Cursor {
  const scan = newScan();
  let current: Line = { from: 0, text: "" };
  for (const line of logicalLines(text)) {
    if (line.from > offset) break;
    readLine(scan, current.text);
    current = line;
  }
  const head = current.text.slice(0, offset - current.from);
  let { column, rest } = indentOf(head);
  let item: Step[] | undefined;
  for (let dash = DASH.exec(rest); dash; dash = DASH.exec(rest)) {
    item = openItem(scan, column);
    column += dash[0].length;
    rest = rest.slice(dash[0].length);
  }
  const key = KEY.exec(rest);
  const from = current.from + head.length - rest.length;
  if (key) {
    const path = openKey(scan, column, unquoted(key[1] ?? ""));
    return inValue(rest.slice(key[0].length), from + key[0].length, path);
  }
  if (/^[{[]/.test(rest)) return inValue(rest, from, item ?? settle(scan, column, false).path);
  const place = { word: rest, from, flow: false };
  if (item) return { path: item, at: "key", orValue: true, ...place };
  return { path: settle(scan, column, false).path, at: "key", orValue: false, ...place };
}

/** The key or value that a text at an offset belongs to, for its documentation. */
export function placeAt(text: string, offset: number): { path: Step[]; word: string } | null {
  const before = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset + 1);
  if (/(^|\s)#/.test(before)) return null;
  const lineEnd = text.indexOf("\n", offset);
  const rest = text.slice(offset, lineEnd < 0 ? text.length : lineEnd);
  const end = offset + (/^[^\s,:{}[\]#]*/.exec(rest)?.[0].length ?? 0);
  const cursor = cursorAt(text, end);
  const word = cursor.word.trim();
  if (word === "") return null;
  const isKey = cursor.at === "key" && /^\s*["']?\s*:(\s|$)/.test(text.slice(end, end + 20));
  return isKey ? { path: [...cursor.path, unquoted(word)], word: "" } : { path: cursor.path, word: unquoted(word) };
}

// ------------------------------------------------------------------ blocks

interface Scan {
  outline: Outline;
  frames: Frame[];
  /** Lines that are indented more belong to a block scalar. */
  blockIndent: number | null;
}

function newScan(): Scan {
  const rootFrame = { indent: -1, path: [], sequence: false, index: -1, last: [] };
  return { outline: { values: new Map(), keys: new Map() }, frames: [rootFrame], blockIndent: null };
}

function readLine(scan: Scan, text: string): void {
  let { column, rest } = indentOf(text);
  if (rest.trim() === "" || rest.startsWith("#")) return;
  if (scan.blockIndent !== null) {
    if (column > scan.blockIndent) return;
    scan.blockIndent = null;
  }
  const indent = column;
  let path: Step[] | undefined;
  for (let dash = DASH.exec(rest); dash; dash = DASH.exec(rest)) {
    path = openItem(scan, column);
    column += dash[0].length;
    rest = rest.slice(dash[0].length);
  }
  const key = KEY.exec(rest);
  if (key) {
    path = openKey(scan, column, unquoted(key[1] ?? ""));
    rest = rest.slice(key[0].length);
  }
  if (!path) return;
  if (/^[|>]/.test(rest)) scan.blockIndent = indent;
  else if (/^[{[]/.test(rest)) readFlow(scan.outline, rest, path);
  else if (scalarOf(rest)) scan.outline.values.set(pathKey(path), scalarOf(rest));
}

/** The frame of a mapping or list at a column; opens it where the last key or item has no value yet. */
function settle(scan: Scan, column: number, sequence: boolean): Frame {
  const { frames } = scan;
  let top = frames.at(-1) as Frame;
  while (top.indent > column || (top.indent === column && top.sequence && !sequence)) {
    frames.pop();
    top = frames.at(-1) as Frame;
  }
  if (top.indent === column && top.sequence === sequence) return top;
  const frame = { indent: column, path: top.last, sequence, index: -1, last: top.last };
  frames.push(frame);
  return frame;
}

function openItem(scan: Scan, column: number): Step[] {
  const frame = settle(scan, column, true);
  frame.index += 1;
  frame.last = [...frame.path, frame.index];
  return frame.last;
}

function openKey(scan: Scan, column: number, key: string): Step[] {
  const frame = settle(scan, column, false);
  frame.last = [...frame.path, key];
  addKey(scan.outline, frame.path, key);
  return frame.last;
}

function addKey(outline: Outline, path: readonly Step[], key: string): void {
  const at = pathKey(path);
  const keys = outline.keys.get(at);
  if (keys) keys.push(key);
  else outline.keys.set(at, [key]);
}

// ------------------------------------------------------------------ flow collections

interface Flow {
  path: Step[];
  sequence: boolean;
  index: number;
  /** Where the current key or item begins. */
  start: number;
  /** The current entry's path, once its key is read. */
  entry: Step[] | null;
}

/** Walk a flow collection; `onScalar` gets each key's or item's scalar. Returns the collections open at the end. */
function walkFlow(
  text: string,
  path: Step[],
  onKey: (path: Step[], key: string) => void,
  onScalar: (path: Step[], value: string) => void,
): Flow[] {
  const open: Flow[] = [];
  const finish = (flow: Flow, end: number) => {
    const scalar = scalarOf(text.slice(flow.start, end));
    const place = flow.sequence ? [...flow.path, flow.index] : flow.entry;
    if (place && scalar) onScalar(place, scalar);
  };
  for (const { char, index } of significant(text)) {
    const flow = open.at(-1);
    if (char === "{" || char === "[") {
      const inner = !flow ? path : flow.sequence ? [...flow.path, flow.index] : flow.entry;
      open.push({ path: inner ?? [], sequence: char === "[", index: 0, start: index + 1, entry: null });
    } else if (!flow) {
      break;
    } else if (char === ":" && !flow.sequence && flow.entry === null && /[\s]|^$/.test(text[index + 1] ?? "")) {
      const key = unquoted(text.slice(flow.start, index).trim());
      flow.entry = [...flow.path, key];
      flow.start = index + 1;
      onKey(flow.path, key);
    } else if (char === ",") {
      finish(flow, index);
      flow.index += 1;
      flow.entry = null;
      flow.start = index + 1;
    } else if (char === "}" || char === "]") {
      finish(flow, index);
      open.pop();
      const outer = open.at(-1);
      if (outer) outer.start = index + 1;
    }
  }
  return open;
}

function readFlow(outline: Outline, text: string, path: Step[]): void {
  walkFlow(
    text,
    path,
    (at, key) => addKey(outline, at, key),
    (at, value) => outline.values.set(pathKey(at), value),
  );
}

function inValue(text: string, from: number, path: Step[]): Cursor {
  const none = () => {};
  const flow = /^[{[]/.test(text) ? walkFlow(text, path, none, none).at(-1) : undefined;
  if (!flow) return { path, at: "value", orValue: false, word: text, from, flow: false };
  const typed = text.slice(flow.start);
  const word = typed.trimStart();
  const place = { word, from: from + text.length - word.length, flow: true };
  if (flow.sequence) return { path: [...flow.path, flow.index], at: "value", orValue: false, ...place };
  if (flow.entry) return { path: flow.entry, at: "value", orValue: false, ...place };
  return { path: flow.path, at: "key", orValue: false, ...place };
}

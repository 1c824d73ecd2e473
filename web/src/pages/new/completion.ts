import type { Completion, CompletionContext, CompletionResult, CompletionSource } from "@codemirror/autocomplete";
import { type EditorView, hoverTooltip, type Tooltip } from "@codemirror/view";
import type { Documentation } from "./documentation";
import { documentationOf, type Suggestion, suggestionsAt, type Vocabulary } from "./schema";
import { cursorAt, outlineOf, placeAt } from "./yamlPath";

/** Larger files get no completion: reading them at every key would be felt. */
const MAX_LENGTH = 300_000;

/** Completion of fields and values; `vocabulary` is null until the schema is loaded. */
export function completionSource(vocabulary: () => Vocabulary | null): CompletionSource {
  return (context: CompletionContext): CompletionResult | null => {
    const known = vocabulary();
    if (!known || context.state.doc.length > MAX_LENGTH) return null;
    const text = context.state.doc.toString();
    const cursor = cursorAt(text, context.pos);
    if (!context.explicit && cursor.word.trim() === "" && !cursor.flow && cursor.at === "key" && !cursor.orValue)
      return null;
    if (/(^|\s)#/.test(cursor.word)) return null;
    const options = suggestionsAt(known, outlineOf(text), cursor).map((suggestion, index) => ({
      ...completionOf(suggestion, cursor.at === "key"),
      sortText: String(index).padStart(4, "0"),
    }));
    return options.length > 0 ? { from: cursor.from, options, validFor: /^[\w.[\]-]*$/ } : null;
  };
}

const TYPES: Record<Suggestion["kind"], string> = {
  field: "property",
  value: "constant",
  axis: "variable",
  metric: "constant",
};

function completionOf(suggestion: Suggestion, inKey: boolean): Completion {
  const { label, kind, detail, documentation } = suggestion;
  const isKey = kind === "field" || kind === "axis" || inKey;
  return {
    label,
    type: TYPES[kind],
    detail,
    ...(isKey && kind !== "value" && { apply: applyKey(label) }),
    ...(documentation && { info: () => render(documentation) }),
  };
}

/** Insert a key with its colon, unless one follows already. */
function applyKey(label: string): NonNullable<Completion["apply"]> {
  return (view, _, from, to) => {
    const follows = view.state
      .sliceDoc(to, to + 2)
      .trimStart()
      .startsWith(":");
    const insert = follows ? label : `${label}: `;
    view.dispatch({
      changes: { from, to, insert },
      selection: { anchor: from + insert.length },
      userEvent: "input.complete",
    });
  };
}

/** Documentation of the field or value under the pointer. */
export const documentationTooltip = (vocabulary: () => Vocabulary | null) =>
  hoverTooltip((view: EditorView, position: number): Tooltip | null => {
    const known = vocabulary();
    const word = view.state.wordAt(position);
    if (!known || !word || view.state.doc.length > MAX_LENGTH) return null;
    const text = view.state.doc.toString();
    const place = placeAt(text, word.from);
    const documentation = place && documentationOf(known, outlineOf(text), place.path, place.word);
    if (!documentation || (documentation.text === "" && documentation.facts.length === 0)) return null;
    return { pos: word.from, end: word.to, above: true, create: () => ({ dom: render(documentation) }) };
  });

function render({ title, text, facts }: Documentation): HTMLElement {
  const box = element("div", "doc");
  box.append(element("b", "", title));
  if (text) box.append(element("p", "", text));
  const list = element("dl");
  for (const [name, value] of facts) list.append(element("dt", "", name), element("dd", "", value));
  if (facts.length > 0) box.append(list);
  return box;
}

function element(name: string, className = "", text = ""): HTMLElement {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.textContent = text;
  return made;
}

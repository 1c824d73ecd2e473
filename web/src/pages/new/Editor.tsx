import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";
import { formatSize } from "../../format";
import { completionSource, documentationTooltip } from "./completion";
import { tooLarge } from "./draft";
import type { Vocabulary } from "./schema";
import "./editor.css";

/** What the service says about a line. */
export interface LineNote {
  line: number;
  path: string;
  message: string;
  severity: "error" | "warning";
}

interface Props {
  /** The text to begin with; the editor owns it from then on. */
  initial: string;
  vocabulary: Vocabulary | null;
  notes: LineNote[];
  /** Larger texts are refused; undefined until the service has said it. */
  maxBytes: number | undefined;
  onChange: (text: string) => void;
  /** A paste or drop that was refused, in words. */
  onRefused: (message: string) => void;
}

/** A campaign file's editor. Tab indents; Escape, then Tab leaves it. */
export default function Editor({ initial, vocabulary, notes, maxBytes, onChange, onRefused }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef({ vocabulary, maxBytes, onChange, onRefused });
  latest.current = { vocabulary, maxBytes, onChange, onRefused };

  useEffect(() => {
    if (!place.current) return;
    const editor = new EditorView({
      parent: place.current,
      state: EditorState.create({ doc: initial, extensions: extensionsOf(latest) }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [initial]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new text has a new editor, which shows the notes as well
  useEffect(() => {
    const editor = view.current;
    if (editor) editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor.state, notes)));
  }, [notes, initial]);

  return <div ref={place} className="editor" data-testid="editor" />;
}

function diagnosticsOf(state: EditorState, notes: LineNote[]): Diagnostic[] {
  const diagnostics = notes
    .filter(({ line }) => line >= 1 && line <= state.doc.lines)
    .map(({ line, path, message, severity }) => {
      const { from, text } = state.doc.line(line);
      const [start, end] = markedPart(text, path, message);
      return { from: from + start, to: from + end, severity, message: path ? `${path}: ${message}` : message };
    });
  return diagnostics.sort((a, b) => a.from - b.from);
}

/** The value that a message quotes, else the field that it is about, else all of the line. */
function markedPart(line: string, path: string, message: string): [from: number, to: number] {
  const quoted = /^'([^']+)'/.exec(message)?.[1];
  const field = /([^.[\]]+)(\[\d+\])*$/.exec(path)?.[1];
  for (const part of [quoted, field]) {
    const at = part ? line.indexOf(part) : -1;
    if (part && at >= 0) return [at, at + part.length];
  }
  return [line.length - line.trimStart().length, line.length];
}

interface Latest {
  current: Pick<Props, "vocabulary" | "maxBytes" | "onChange" | "onRefused">;
}

function extensionsOf(latest: Latest): Extension[] {
  const vocabulary = () => latest.current.vocabulary;
  return [
    lineNumbers(),
    history(),
    drawSelection(),
    EditorState.allowMultipleSelections.of(true),
    indentUnit.of("  "),
    EditorState.tabSize.of(2),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    search({ top: true }),
    yaml(),
    syntaxHighlighting(HIGHLIGHTS),
    lintGutter(),
    autocompletion({ override: [completionSource(vocabulary)], icons: false, maxRenderedOptions: 60 }),
    documentationTooltip(vocabulary),
    limitSize(latest),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({
      "aria-label": "Campaign file",
      "aria-describedby": "editor-keys",
      spellcheck: "false",
    }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) latest.current.onChange(update.state.doc.toString());
    }),
    keymap.of([
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...lintKeymap,
      ...defaultKeymap,
      indentWithTab,
    ]),
  ];
}

/** Refuse texts that the service would not take, before the editor lays them out. */
function limitSize(latest: { readonly current: Pick<Props, "maxBytes" | "onRefused"> }): Extension {
  const most = () => latest.current.maxBytes ?? Number.POSITIVE_INFINITY;
  const onRefused = (bytes: number) => latest.current.onRefused(refusal(bytes, most()));
  const refuse = (event: Event, data: DataTransfer | null): boolean => {
    const file = data?.files[0];
    const size = file ? file.size : tooLarge(data?.getData("text/plain") ?? "", most());
    if (!size || size <= most()) return false;
    event.preventDefault();
    onRefused(size);
    return true;
  };
  return [
    EditorView.domEventHandlers({
      paste: (event) => refuse(event, event.clipboardData),
      drop: (event) => refuse(event, event.dataTransfer),
    }),
    EditorState.transactionFilter.of((transaction) => {
      if (!transaction.docChanged || transaction.newDoc.length <= most()) return transaction;
      queueMicrotask(() => onRefused(transaction.newDoc.length));
      return [];
    }),
  ];
}

const refusal = (bytes: number, most: number): string =>
  `${(bytes / 1e6).toFixed(1)} MB were not inserted: a campaign file has at most ${formatSize(most)}. Submit shorter files, or set several values with one axis of the sweep.`;

/** Colours are chrome's: keys are ink, values quieter; comments quietest. */
const HIGHLIGHTS = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: "var(--ink)", fontWeight: "600" },
  { tag: tags.comment, color: "var(--ink-3)", fontStyle: "italic" },
  { tag: [tags.string, tags.content, tags.literal, tags.special(tags.string)], color: "var(--ink-2)" },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: "var(--ink-3)" },
]);

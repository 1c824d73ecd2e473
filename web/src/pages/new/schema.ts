import {
  choicesOf,
  type Documentation,
  documentation,
  type Metric,
  metricDocumentation,
  type Schema,
  shown,
  typeName,
} from "./documentation";
import { type Cursor, type Outline, pathKey, type Step } from "./yamlPath";

/** Completions and documentation of a campaign file, from its JSON Schema (`GET /schema`). */
export interface Vocabulary {
  schema: Schema;
  metrics: Metric[];
}

export interface Suggestion {
  label: string;
  kind: "field" | "value" | "axis" | "metric";
  detail: string;
  documentation: Documentation | null;
}

/** What can be typed at the cursor; not yet narrowed to what has been typed. */
export function suggestionsAt(vocabulary: Vocabulary, outline: Outline, cursor: Cursor): Suggestion[] {
  const keys = cursor.at === "key" ? keysAt(vocabulary, outline, cursor.path) : [];
  const present = new Set(outline.keys.get(pathKey(cursor.path)));
  const fields = keys.filter(({ label }) => !present.has(label) || label === cursor.word.trim());
  return cursor.at === "value" || cursor.orValue ? [...fields, ...valuesAt(vocabulary, outline, cursor.path)] : fields;
}

/** Documentation of the key at a path, or of a value there. */
export function documentationOf(
  vocabulary: Vocabulary,
  outline: Outline,
  path: readonly Step[],
  word: string,
): Documentation | null {
  const metric = vocabulary.metrics.find(({ name }) => name === (word || path.at(-1)));
  if (metric) return metricDocumentation(metric);
  const schema = schemaAt(vocabulary.schema, outline, path);
  if (!schema) return null;
  const choice = word ? choicesOf(schema)[word] : undefined;
  if (choice) return documentation(word, choice);
  const isKind = path.at(-1) === "kind" ? choiceAt(vocabulary.schema, outline, path.slice(0, -1)) : undefined;
  if (isKind) return documentation(isKind.title ?? "kind", isKind);
  const isAxis = path[0] === "sweep" && path.length <= 3;
  return documentation(String((isAxis ? path[1] : path.at(-1)) ?? "campaign"), schema);
}

// ------------------------------------------------------------------ walking the schema

/** `["topology", "queue", "limit"]` of `topology.queue.limit`, with list indices as numbers. */
export const splitPath = (path: string): Step[] =>
  [...path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, name, index]) =>
    index === undefined ? (name ?? "") : Number(index),
  );

/** The schema of the value at a path; undefined where anything or nothing is allowed. */
export function schemaAt(schema: Schema, outline: Outline, path: readonly Step[]): Schema | undefined {
  const [first, axis, index, ...rest] = path;
  if (first === "sweep" && axis !== undefined) return inSweep(schema, outline, String(axis), index, rest);
  return walk(schema, outline, path, []);
}

/** `base`: where the path begins, to look up the kinds that the file has chosen. */
function walk(start: Schema, outline: Outline, path: readonly Step[], base: readonly Step[]): Schema | undefined {
  let schema: Schema | undefined = start;
  for (let length = 0; schema && length < path.length; length += 1) {
    schema = member(schema, kindAt(schema, outline, [...base, ...path.slice(0, length)]), path[length] ?? "");
  }
  return schema;
}

function member(schema: Schema, kind: string | undefined, step: Step): Schema | undefined {
  if (typeof step === "number") return schema.items ?? schema.anyOf?.find((one) => one.items)?.items;
  if (schema.oneOf) {
    const choices = choicesOf(schema);
    if (step === "kind" && kind === undefined) return { title: "kind", enum: Object.keys(choices) };
    return (kind === undefined ? undefined : choices[kind])?.properties?.[step];
  }
  const object = schema.properties ? schema : (schema.anyOf?.find((one) => one.properties) ?? schema);
  const known = object.properties?.[step];
  if (known) return known;
  return typeof object.additionalProperties === "object" ? object.additionalProperties : undefined;
}

function kindAt(schema: Schema, outline: Outline, path: readonly Step[]): string | undefined {
  if (!schema.oneOf) return undefined;
  const written = outline.values.get(pathKey([...path, "kind"])) ?? outline.values.get(pathKey(path));
  if (written !== undefined && written in choicesOf(schema)) return written;
  return (schema.default as { kind?: string } | null | undefined)?.kind;
}

function choiceAt(schema: Schema, outline: Outline, path: readonly Step[]): Schema | undefined {
  const at = schemaAt(schema, outline, path);
  const kind = at && kindAt(at, outline, path);
  return kind === undefined || !at ? undefined : choicesOf(at)[kind];
}

/** A sweep's axis is a path into the scenario; its values are values of that field, or labelled settings. */
function inSweep(
  schema: Schema,
  outline: Outline,
  axis: string,
  index: Step | undefined,
  rest: readonly Step[],
): Schema | undefined {
  const scenario = schema.properties?.scenario;
  if (!scenario) return undefined;
  if (axis === "simulator") return schema.properties?.simulator;
  const field = walk(scenario, outline, splitPath(axis), ["scenario"]);
  if (index === undefined || rest.length === 0) return field;
  const [key, ...deeper] = rest;
  const place = ["sweep", axis, index];
  if (field && !(typeof key === "string" && key.includes("."))) return walk(field, outline, rest, place);
  return walk(scenario, outline, [...splitPath(String(key)), ...deeper], ["scenario"]);
}

// ------------------------------------------------------------------ suggestions

function keysAt(vocabulary: Vocabulary, outline: Outline, path: readonly Step[]): Suggestion[] {
  const { schema, metrics } = vocabulary;
  const [first, , third] = path;
  const axes = outline.keys.get("sweep") ?? [];
  const nameAxes = (first === "baseline" && path.length === 1) || (first === "gates" && third === "cells");
  if (nameAxes) return axes.map((axis) => plain(axis, "axis", "axis of the sweep"));
  if (first === "relevance") return metrics.map(metricSuggestion);
  if (first === "sweep" && path.length === 1) return axisPaths(schema, outline);
  if (first === "sweep" && path.length === 3) {
    const own = schemaAt(schema, outline, path);
    const settings = own ? fieldsOf(own, kindAt(own, outline, path)) : axisPaths(schema, outline);
    return [plain("label", "field", "what tables call this value"), ...settings];
  }
  const at = schemaAt(schema, outline, path);
  return at ? fieldsOf(at, kindAt(at, outline, path)) : [];
}

function fieldsOf(schema: Schema, kind: string | undefined): Suggestion[] {
  if (schema.oneOf) {
    const choices = choicesOf(schema);
    const kinds: Schema = { description: "Which of the choices this is.", enum: Object.keys(choices) };
    const chosen = kind === undefined ? undefined : choices[kind];
    return [
      field("kind", kinds),
      ...(chosen ? fieldsOf(chosen, undefined).filter(({ label }) => label !== "kind") : []),
    ];
  }
  const object = schema.properties ? schema : schema.anyOf?.find((one) => one.properties);
  const required = new Set(object?.required);
  return Object.entries(object?.properties ?? {}).map(([name, one]) => {
    const suggestion = field(name, one);
    return required.has(name) ? { ...suggestion, detail: "required" } : suggestion;
  });
}

const field = (name: string, schema: Schema): Suggestion => ({
  label: name,
  kind: "field",
  detail: schema.default === undefined || schema.default === null ? typeName(schema) : shown(schema.default),
  documentation: documentation(name, schema),
});

const plain = (label: string, kind: Suggestion["kind"], detail: string): Suggestion => ({
  label,
  kind,
  detail,
  documentation: null,
});

const metricSuggestion = (metric: Metric): Suggestion => ({
  label: metric.name,
  kind: "metric",
  detail: metric.unit,
  documentation: metricDocumentation(metric),
});

/** Paths of the scenario that an axis can have, for the kinds that the file has chosen. */
function axisPaths(schema: Schema, outline: Outline): Suggestion[] {
  const found: Suggestion[] = [plain("simulator", "axis", "builds side by side")];
  const scenario = schema.properties?.scenario;
  const visit = (name: string, one: Schema, path: Step[]) => {
    found.push({ ...field(name, one), kind: "axis" });
    const kind = kindAt(one, outline, path);
    const object = one.oneOf ? choicesOf(one)[kind ?? ""] : one;
    for (const [key, inner] of Object.entries(object?.properties ?? {})) {
      if (key !== "kind" && path.length < 5) visit(`${name}.${key}`, inner, [...path, key]);
    }
  };
  for (const [name, one] of Object.entries(scenario?.properties ?? {})) {
    if (name !== "series") visit(name, one, ["scenario", name]);
  }
  return found;
}

function valuesAt(vocabulary: Vocabulary, outline: Outline, path: readonly Step[]): Suggestion[] {
  const { schema, metrics } = vocabulary;
  const last = path.at(-1);
  if (last === "metric" || path[0] === "family") return metrics.map(metricSuggestion);
  const axis = path[0] === "baseline" ? path[1] : path[0] === "gates" && path[2] === "cells" ? path[3] : undefined;
  if (axis !== undefined) return labelsOf(outline, String(axis));
  const parent = last === "kind" ? schemaAt(schema, outline, path.slice(0, -1)) : undefined;
  const at = parent?.oneOf ? parent : schemaAt(schema, outline, path);
  return at ? valuesOf(at) : [];
}

function valuesOf(schema: Schema): Suggestion[] {
  if (schema.anyOf) return schema.anyOf.flatMap(valuesOf);
  const choices = Object.entries(choicesOf(schema));
  if (choices.length > 0) {
    return choices.map(([kind, choice]) => ({
      label: kind,
      kind: "value",
      detail: choice["x-category"] ?? "",
      documentation: documentation(kind, choice),
    }));
  }
  if (schema.enum)
    return schema.enum.map((value) => plain(shown(value), "value", value === schema.default ? "default" : ""));
  if (schema.type === "boolean") {
    return [true, false].map((value) => plain(String(value), "value", value === schema.default ? "default" : ""));
  }
  const isScalar = typeof schema.default === "string" || typeof schema.default === "number";
  return isScalar && schema.default !== "" ? [plain(shown(schema.default), "value", "default")] : [];
}

/** Labels of an axis' values, as far as the file spells them out. */
function labelsOf(outline: Outline, axis: string): Suggestion[] {
  const labels: Suggestion[] = [];
  for (let index = 0; index < 5000; index += 1) {
    const at = ["sweep", axis, index];
    const label =
      outline.values.get(pathKey(at)) ?? outline.values.get(pathKey([...at, "label"])) ?? kindLabel(outline, at);
    if (label === undefined) break;
    labels.push(plain(label, "value", "value of the axis"));
  }
  return labels;
}

/** `vegas Alpha=1` of `{kind: vegas, Alpha: 1}`. */
function kindLabel(outline: Outline, at: Step[]): string | undefined {
  const keys = outline.keys.get(pathKey(at));
  const kind = outline.values.get(pathKey([...at, "kind"]));
  if (!keys || kind === undefined) return undefined;
  const settings = keys
    .filter((key) => key !== "kind")
    .map((key) => `${key}=${outline.values.get(pathKey([...at, key])) ?? ""}`);
  return [kind, ...settings].join(" ");
}

/** A field of a JSON Schema in words: what it is, its default, bounds, unit and source. */
export interface Schema {
  type?: string | string[];
  title?: string;
  description?: string;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  "x-quantity"?: string;
  "x-minimum"?: string | string[];
  "x-maximum"?: string | string[];
  "x-unit"?: string;
  "x-formula"?: string;
  "x-source"?: string;
  "x-category"?: string;
}

export interface Metric {
  name: string;
  title: string;
  unit: string;
  definition: string;
}

export interface Documentation {
  title: string;
  text: string;
  /** Default, bounds, unit, formula, source. */
  facts: [name: string, value: string][];
}

/** The choices of a schema by their `kind`. */
export function choicesOf(schema: Schema): Record<string, Schema> {
  const choices: Record<string, Schema> = {};
  for (const choice of schema.oneOf ?? []) {
    const kind = choice.properties?.kind?.const;
    if (typeof kind === "string") choices[kind] = choice;
  }
  return choices;
}

export function metricDocumentation(metric: Metric): Documentation {
  return { title: metric.title, text: metric.definition, facts: metric.unit ? [["unit", metric.unit]] : [] };
}

export function documentation(title: string, schema: Schema): Documentation {
  const alternatives = schema.anyOf ?? [];
  const text = schema.description ?? alternatives.find((one) => one.description)?.description ?? "";
  return { title, text, facts: factsOf(schema) };
}

/** Default, bounds, unit and source of a field, as pairs for a list. */
export function factsOf(schema: Schema): [string, string][] {
  const facts: [string, string | undefined][] = [
    ["default", schema.default === undefined || schema.default === null ? undefined : shown(schema.default)],
    ["range", rangeOf(schema)],
    ["unit", schema["x-unit"]],
    ["quantity", schema["x-quantity"]],
    ["one of", choiceNames(schema)],
    ["formula", schema["x-formula"]],
    ["category", schema["x-category"]],
    ["source", schema["x-source"]],
  ];
  return facts.filter((fact): fact is [string, string] => Boolean(fact[1]));
}

function choiceNames(schema: Schema): string | undefined {
  const names = schema.enum?.map(shown) ?? Object.keys(choicesOf(schema));
  return names.length > 0 ? names.join(", ") : undefined;
}

const LARGE = 4_294_967_295;

/** `1 to 1000`, `at least 1p`; empty if everything is allowed. */
export function rangeOf(schema: Schema): string {
  const bound = (value: number | string | string[] | undefined): string | undefined =>
    value === undefined
      ? undefined
      : Array.isArray(value)
        ? value.join(" or ")
        : typeof value === "number"
          ? value.toLocaleString("en-US", { maximumFractionDigits: 9 })
          : value;
  const least = bound(schema["x-minimum"] ?? schema.minimum);
  const most =
    schema.maximum !== undefined && schema.maximum >= LARGE ? undefined : bound(schema["x-maximum"] ?? schema.maximum);
  const above = bound(schema.exclusiveMinimum);
  const from = least ?? (above === undefined ? undefined : `more than ${above}`);
  if (from !== undefined && most !== undefined) return `${from} to ${most}`;
  if (least !== undefined) return `at least ${least}`;
  return most === undefined ? (from ?? "") : `at most ${most}`;
}

export function typeName(schema: Schema): string {
  if (schema["x-quantity"]) return schema["x-quantity"];
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== "null") : schema.type;
  return type ?? (schema.oneOf ? "choice" : "");
}

/** A value as a campaign file would have it on one line. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(", ")}]`;
  if (value !== null && typeof value === "object") {
    return `{${Object.entries(value)
      .map(([key, item]) => `${key}: ${shown(item)}`)
      .join(", ")}}`;
  }
  return value === "" ? '""' : typeof value === "string" ? readableTime(value) : String(value);
}

/** `10ms` of `10000000ns`: the largest unit that leaves a whole number. */
function readableTime(text: string): string {
  const nanoseconds = Number(/^([1-9]\d*)ns$/.exec(text)?.[1]);
  const units = [
    ["s", 1e9],
    ["ms", 1e6],
    ["us", 1e3],
  ] as const;
  const unit = units.find(([, size]) => nanoseconds % size === 0);
  return unit ? `${nanoseconds / unit[1]}${unit[0]}` : text;
}

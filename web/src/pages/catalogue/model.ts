import { choicesOf, factsOf, type Schema, shown } from "../new/documentation";

/** A field of an algorithm, a topology or a workload, with the path below it. */
export interface Parameter {
  name: string;
  text: string;
  facts: Record<string, string>;
}

/** Something that a campaign file can name. */
export interface Entry {
  name: string;
  text: string;
  category: string;
  formula: string;
  source: string;
  parameters: Parameter[];
}

type Extended = Schema & { "x-ns3-type"?: string };

/** The choices of a field of the scenario, such as `topology`. */
export const entriesOf = (scenario: Schema, field: string): Entry[] =>
  Object.entries(choicesOf(scenario.properties?.[field] ?? {})).map(([name, choice]) => entryOf(name, choice));

function entryOf(name: string, choice: Extended): Entry {
  return {
    name,
    text: choice.description ?? "",
    category: choice["x-category"] ?? "",
    formula: choice["x-formula"] ?? "",
    source: choice["x-source"] ?? "",
    parameters: parametersOf(choice, ""),
  };
}

function parametersOf(schema: Schema, prefix: string): Parameter[] {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => name !== "kind")
    .flatMap(([name, field]) => {
      const path = prefix + name;
      const isGroup = field.properties && !field.oneOf;
      const inner = isGroup
        ? parametersOf(field, `${path}.`)
        : field.items?.properties
          ? parametersOf(field.items, `${path}[].`)
          : [];
      const own =
        isGroup && inner.length > 0 && !field.description ? [] : [parameterOf(path, field, required.has(name))];
      return [...own, ...inner];
    });
}

function parameterOf(name: string, field: Schema, required: boolean): Parameter {
  const facts = Object.fromEntries(factsOf(field));
  const isEmpty = field.default !== undefined && /^[[{][}\]]$/.test(shown(field.default));
  if (isEmpty) delete facts.default;
  if (required) facts.default = "required";
  if (name.endsWith("algorithm") && facts["one of"]) facts["one of"] = "any algorithm";
  return { name, text: field.description ?? "", facts };
}

/** Queue disciplines, wherever a topology has a field for one; each once. */
export function queuesOf(scenario: Schema): Entry[] {
  const queues = new Map<string, Entry>();
  const visit = (schema: Schema) => {
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      if (name === "queue")
        for (const [kind, choice] of Object.entries(choicesOf(field))) queues.set(kind, entryOf(kind, choice));
      else visit(field);
    }
  };
  for (const choice of Object.values(choicesOf(scenario.properties?.topology ?? {}))) visit(choice);
  return [...queues.values()];
}

/** Whether all words of a query are in a text. */
export function matches(query: string, ...texts: string[]): boolean {
  const all = texts.join(" ").toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

export const entryMatches = (query: string, entry: Entry): boolean =>
  matches(
    query,
    entry.name,
    entry.text,
    entry.category,
    entry.formula,
    entry.source,
    ...entry.parameters.map(({ name, text }) => `${name} ${text}`),
  );

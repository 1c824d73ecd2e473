import { describe, expect, it } from "vitest";
import { rangeOf, type Schema, shown } from "../../src/pages/new/documentation";
import { documentationOf, splitPath, suggestionsAt, type Vocabulary } from "../../src/pages/new/schema";
import { cursorAt, outlineOf, placeAt } from "../../src/pages/new/yamlPath";

const queue: Schema = {
  default: { kind: "drop-tail", limit: "100p" },
  description: "Queue of every port.",
  oneOf: [
    { enum: ["drop-tail", "red"] },
    {
      type: "object",
      properties: {
        kind: { const: "drop-tail" },
        limit: { type: "string", "x-quantity": "queue-limit", default: "100p" },
      },
    },
    {
      type: "object",
      required: ["kind"],
      properties: { kind: { const: "red" }, min_threshold: { type: "number", minimum: 0, "x-unit": "packets" } },
    },
  ],
};
const algorithm: Schema = {
  oneOf: [
    { enum: ["newreno", "vegas"] },
    { type: "object", description: "AIMD.", "x-source": "RFC 6582", properties: { kind: { const: "newreno" } } },
    {
      type: "object",
      description: "Delay.",
      "x-formula": "w += 1",
      properties: { kind: { const: "vegas" }, Alpha: { type: "integer", default: 2, minimum: 0, maximum: 4294967295 } },
    },
  ],
};
const vocabulary: Vocabulary = {
  schema: {
    type: "object",
    required: ["name", "scenario"],
    properties: {
      name: { type: "string" },
      scenario: {
        type: "object",
        properties: {
          topology: {
            oneOf: [
              {
                type: "object",
                title: "fat-tree",
                required: ["kind", "k"],
                properties: { kind: { const: "fat-tree" }, k: { type: "integer", minimum: 2, maximum: 16 }, queue },
              },
            ],
          },
          algorithm,
          transport: { type: "object", properties: { sack: { type: "boolean", default: true } } },
        },
      },
      sweep: { type: "object", additionalProperties: { type: "array" } },
      replications: {
        anyOf: [
          { type: "integer", default: 1 },
          {
            type: "object",
            required: ["max"],
            properties: {
              max: { type: "integer" },
              until: { type: "object", properties: { metric: { type: "string" } } },
            },
          },
        ],
      },
      interval: { type: "string", enum: ["t", "bca"], default: "t" },
      baseline: { type: "object" },
      gates: {
        type: "array",
        items: { type: "object", properties: { metric: { type: "string" }, cells: { type: "object" } } },
      },
    },
  },
  metrics: [{ name: "drops", title: "drops", unit: "packets", definition: "Packets dropped." }],
};

const labels = (marked: string): string[] => {
  const text = marked.replace("|", "");
  return suggestionsAt(vocabulary, outlineOf(text), cursorAt(text, marked.indexOf("|"))).map(({ label }) => label);
};

describe("completions", () => {
  it.each([
    ["name: x\n|", ["scenario", "sweep", "replications", "interval", "baseline", "gates"]],
    ["scenario:\n  topology:\n    |", ["kind"]],
    ["scenario:\n  topology:\n    kind: |", ["fat-tree"]],
    ["scenario:\n  topology: {kind: fat-tree, |}", ["k", "queue"]],
    ["scenario:\n  topology: {kind: fat-tree, queue: |}", ["drop-tail", "red"]],
    ["scenario:\n  topology: {kind: fat-tree, queue: {|}}", ["kind", "limit"]],
    ["scenario:\n  topology: {kind: fat-tree, queue: {kind: red, |}}", ["min_threshold"]],
    ["scenario:\n  transport: {sack: |}", ["true", "false"]],
    ["interval: |", ["t", "bca"]],
    ["replications: {|}", ["max", "until"]],
    ["replications:\n  until: {metric: |}", ["drops"]],
    ["sweep:\n  algorithm: [newreno, |]", ["newreno", "vegas"]],
    ["sweep:\n  algorithm: [{kind: vegas, |}]", ["label", "Alpha"]],
    ["sweep:\n  algorithm:\n    - |", ["label", "kind", "newreno", "vegas"]],
    ["scenario:\n  topology: {kind: fat-tree}\nsweep:\n  topology.queue.limit: [|]", ["100p"]],
    ["sweep:\n  algorithm: [newreno, {kind: vegas, Alpha: 1}]\nbaseline: {|}", ["algorithm"]],
    ["sweep:\n  algorithm: [newreno, {kind: vegas, Alpha: 1}]\nbaseline: {algorithm: |}", ["newreno", "vegas Alpha=1"]],
    ["gates:\n- metric: |", ["drops"]],
  ])("%j", (text, expected) => {
    expect(labels(text)).toEqual(expected);
  });

  it("axes are paths of the scenario, as far as its kinds are known", () => {
    expect(labels("scenario:\n  topology: {kind: fat-tree, queue: red}\nsweep:\n  |")).toEqual([
      "simulator",
      "topology",
      "topology.k",
      "topology.queue",
      "topology.queue.min_threshold",
      "algorithm",
      "transport",
      "transport.sack",
    ]);
  });
});

describe("documentation", () => {
  const about = (text: string, word: string) => {
    const place = placeAt(text, text.indexOf(word));
    return place && documentationOf(vocabulary, outlineOf(text), place.path, place.word);
  };
  it("of a field, with its bounds", () => {
    const doc = about("scenario:\n  topology: {kind: fat-tree, k: 4}", "k: 4");
    expect(doc?.facts).toEqual([["range", "2 to 16"]]);
  });
  it("of an algorithm in a sweep, and of its parameter", () => {
    const text = "sweep:\n  algorithm: [newreno, {kind: vegas, Alpha: 1}]";
    expect(about(text, "newreno")).toEqual({ title: "newreno", text: "AIMD.", facts: [["source", "RFC 6582"]] });
    expect(about(text, "vegas")?.text).toBe("Delay.");
    expect(about(text, "Alpha")?.facts).toEqual([
      ["default", "2"],
      ["range", "at least 0"],
    ]);
  });
  it("of a metric", () => {
    expect(about("family: [drops]", "drops")?.text).toBe("Packets dropped.");
  });
});

it("paths have list indices", () => {
  expect(splitPath("workload.groups[0].algorithm")).toEqual(["workload", "groups", 0, "algorithm"]);
});

it("times are written with their largest unit", () => {
  expect([shown("10000000ns"), shown("1500us"), shown("1500ns"), shown("0ns")]).toEqual([
    "10ms",
    "1500us",
    "1500ns",
    "0ns",
  ]);
});

it("bounds of a quantity may have several units", () => {
  expect(rangeOf({ "x-minimum": ["1p", "1502B"], "x-maximum": "1GB" })).toBe("1p or 1502B to 1GB");
});

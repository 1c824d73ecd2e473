import { expect, it } from "vitest";
import { entriesOf, entryMatches, queuesOf } from "../../src/pages/catalogue/model";
import type { Schema } from "../../src/pages/new/documentation";

const scenario: Schema = {
  properties: {
    topology: {
      oneOf: [
        {
          description: "Two routers.",
          "x-source": "somebody",
          required: ["kind", "pairs"],
          properties: {
            kind: { const: "dumbbell" },
            pairs: { type: "integer", minimum: 1, maximum: 1000 },
            link: { type: "object", default: {}, properties: { rate: { type: "string", default: "10Mbps" } } },
            queue: {
              oneOf: [
                { enum: ["drop-tail"] },
                {
                  description: "FIFO.",
                  properties: { kind: { const: "drop-tail" }, limit: { type: "string", default: "100p" } },
                },
              ],
            },
          },
        },
      ],
    },
  },
};

it("an entry lists its parameters with those of nested fields", () => {
  const [dumbbell] = entriesOf(scenario, "topology");
  expect(dumbbell).toMatchObject({ name: "dumbbell", text: "Two routers.", source: "somebody" });
  expect(dumbbell?.parameters).toEqual([
    { name: "pairs", text: "", facts: { default: "required", range: "1 to 1,000" } },
    { name: "link.rate", text: "", facts: { default: "10Mbps" } },
    { name: "queue", text: "", facts: { "one of": "drop-tail" } },
  ]);
});

it("queues are listed once, with their own parameters", () => {
  expect(queuesOf(scenario).map(({ name, parameters }) => [name, parameters.map((one) => one.name)])).toEqual([
    ["drop-tail", ["limit"]],
  ]);
});

it("a search needs all words, anywhere in an entry", () => {
  const [dumbbell] = entriesOf(scenario, "topology");
  if (!dumbbell) throw new Error("no entry");
  expect(entryMatches("routers PAIRS", dumbbell)).toBe(true);
  expect(entryMatches("routers fat", dumbbell)).toBe(false);
  expect(entryMatches("", dumbbell)).toBe(true);
});

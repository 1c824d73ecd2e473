import { describe, expect, it } from "vitest";
import { EMPTY, tooLarge } from "../../src/pages/new/draft";

const MAX_BYTES = 2 ** 20;

import { outlineOf } from "../../src/pages/new/yamlPath";

describe("the limit of a file's size", () => {
  it("counts bytes, not characters", () => {
    expect(tooLarge("x".repeat(MAX_BYTES), MAX_BYTES)).toBeNull();
    expect(tooLarge("x".repeat(MAX_BYTES + 1), MAX_BYTES)).toBe(MAX_BYTES + 1);
    expect(tooLarge("é".repeat(MAX_BYTES / 2), MAX_BYTES)).toBeNull();
    expect(tooLarge("é".repeat(MAX_BYTES / 2 + 1), MAX_BYTES)).toBe(MAX_BYTES + 2);
  });
});

it("an empty start has the fields that a campaign needs", () => {
  const { keys } = outlineOf(EMPTY);
  expect(keys.get("")).toEqual(["name", "scenario", "sweep", "replications", "baseline"]);
  expect(keys.get("scenario")).toEqual(["topology", "workload", "duration", "warmup"]);
});

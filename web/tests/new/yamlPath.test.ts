import { describe, expect, it } from "vitest";
import { cursorAt, outlineOf, pathKey, placeAt } from "../../src/pages/new/yamlPath";

/** The cursor where the text has a "|". */
const at = (marked: string) => cursorAt(marked.replace("|", ""), marked.indexOf("|"));

describe("the path at the cursor", () => {
  it.each([
    ["|", [], "key"],
    ["na|", [], "key"],
    ["scenario:\n  |", ["scenario"], "key"],
    ["scenario:\n  topology:\n    k: 4\n    |", ["scenario", "topology"], "key"],
    ["scenario:\n  topology:\n    k: 4\n  |", ["scenario"], "key"],
    ["scenario:\n  topology:\n    k: 4\n|", [], "key"],
    ["scenario:\n\n  # a comment: with a colon\n  wo|\n  duration: 1s", ["scenario"], "key"],
    ["scenario:\n  topology: |", ["scenario", "topology"], "value"],
    ["scenario:\n  topology: {|}", ["scenario", "topology"], "key"],
    ["scenario:\n  topology: {kind: |}", ["scenario", "topology", "kind"], "value"],
    ["scenario:\n  topology: {kind: fat-tree, queue: {kind: red, |", ["scenario", "topology", "queue"], "key"],
    [
      "scenario:\n  topology: {kind: fat-tree,\n    queue: {limit: |",
      ["scenario", "topology", "queue", "limit"],
      "value",
    ],
    ["sweep:\n  algorithm: [newreno, |]", ["sweep", "algorithm", 1], "value"],
    ["sweep:\n  algorithm: [{kind: vegas, Alpha: 1}, {kind: vegas, |}]", ["sweep", "algorithm", 1], "key"],
    ["sweep:\n  algorithm:\n    - newreno\n    - |", ["sweep", "algorithm", 1], "key"],
    ["sweep:\n  algorithm:\n  - newreno\n  - kind: |", ["sweep", "algorithm", 1, "kind"], "value"],
    ["gates:\n- metric: drops\n  |\nlabels: {}", ["gates", 0], "key"],
    ["description: >-\n  scenario:\n    k: 4\nsweep:\n  |", ["sweep"], "key"],
  ] as const)("%j", (text, path, where) => {
    expect(at(text)).toMatchObject({ path, at: where });
  });

  it("knows what has been typed, and where it begins", () => {
    expect(at("scenario:\n  topology: {kind: fat|}")).toMatchObject({ word: "fat", from: 29 });
    expect(at("sweep:\n  - topology.que|")).toMatchObject({ word: "topology.que", orValue: true });
    expect(at("scenario:\n  dura|")).toMatchObject({ word: "dura", from: 12, orValue: false });
  });

  it("a flow collection that was not closed ends at the next field of the file", () => {
    expect(at("scenario: {topology: {kind: \nsweep:\n  |")).toMatchObject({ path: ["sweep"], at: "key" });
  });
});

describe("the outline", () => {
  const outline = outlineOf(
    [
      "name: 'a: b'  # quoted",
      "scenario:",
      "  topology: {kind: fat-tree, queue: red}",
      "sweep:",
      "  algorithm: [newreno, {kind: vegas, Alpha: 1}]",
      "  topology.queue.limit:",
      "  - 50p",
      "  - 100p",
      'labels: {"a, b": "x # y"}',
    ].join("\n"),
  );
  it("has scalars by path", () => {
    expect(outline.values.get("name")).toBe("a: b");
    expect(outline.values.get(pathKey(["scenario", "topology", "queue"]))).toBe("red");
    expect(outline.values.get(pathKey(["sweep", "algorithm", 1, "Alpha"]))).toBe("1");
    expect(outline.values.get(pathKey(["sweep", "topology.queue.limit", 1]))).toBe("100p");
    expect(outline.values.get(pathKey(["labels", "a, b"]))).toBe("x # y");
  });
  it("has keys by path", () => {
    expect(outline.keys.get("")).toEqual(["name", "scenario", "sweep", "labels"]);
    expect(outline.keys.get("sweep")).toEqual(["algorithm", "topology.queue.limit"]);
  });
});

describe("what a text is part of", () => {
  const text = "scenario:\n  topology: {kind: fat-tree, k: 4}  # note\n";
  const place = (word: string) => placeAt(text, text.indexOf(word) + 1);
  it("a key, or a value", () => {
    expect(place("topology")).toEqual({ path: ["scenario", "topology"], word: "" });
    expect(place("fat-tree")).toEqual({ path: ["scenario", "topology", "kind"], word: "fat-tree" });
    expect(place("k: 4")).toEqual({ path: ["scenario", "topology", "k"], word: "" });
    expect(place("# note")).toBeNull();
  });
});

it("reads a megabyte quickly", () => {
  const text = `sweep:\n  algorithm: [${"newreno, ".repeat(60_000)}]\n${"# a comment\n".repeat(40_000)}`;
  const started = performance.now();
  cursorAt(text, text.length);
  expect(performance.now() - started).toBeLessThan(1500);
});

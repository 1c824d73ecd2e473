import { describe, expect, it } from "vitest";
import {
  algorithmStyle,
  dashArray,
  dashesOf,
  dashPatterns,
  fnv1a,
  hues,
  knownKinds,
  markerNames,
  splitName,
  textHues,
} from "../../src/figures/algorithms";

// Vitest empties style sheets that are imported
const fileSystem: string = "node:fs";
const { readFileSync } = (await import(fileSystem)) as { readFileSync(file: URL, encoding: "utf8"): string };
const tokens = readFileSync(new URL("../../src/styles/tokens.css", import.meta.url), "utf8");

/** The custom properties of each `{ .. }` of tokens.css that defines --page: light, dark by media, dark by attribute. */
const blocks = [...tokens.matchAll(/\{[^{}]*--page:[^{}]*\}/g)].map(([block]) =>
  Object.fromEntries([...block.matchAll(/--([\w-]+):\s*([^;]+);/g)].map(([, name = "", value = ""]) => [name, value])),
);

describe("algorithms", () => {
  it("uses the published FNV-1a", () => {
    expect(fnv1a("")).toBe(0x811c9dc5);
    expect(fnv1a("a")).toBe(0xe40c292c);
    expect(fnv1a("foobar")).toBe(0xbf9cf968);
  });

  it("gives every known kind its own pair of hue and marker", () => {
    const pairs = knownKinds.map((kind) => `${algorithmStyle(kind).hue} ${algorithmStyle(kind).marker}`);
    expect(new Set(pairs).size).toBe(knownKinds.length);
    for (const kind of knownKinds) expect(markerNames).toContain(algorithmStyle(kind).marker);
  });

  it("gives the kinds used most their own hues", () => {
    expect(knownKinds.slice(0, 12).map((kind) => algorithmStyle(kind).hue)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
    ]);
  });

  it("splits a name into kind and variant", () => {
    expect(splitName("vegas")).toEqual(["vegas", ""]);
    expect(splitName("vegas Alpha=1 Beta=3")).toEqual(["vegas", "Alpha=1 Beta=3"]);
    expect(splitName("linux/cubic")).toEqual(["cubic", "linux"]);
  });

  it("draws variants in hue and marker of their kind, dashed", () => {
    const vegas = algorithmStyle("vegas");
    for (const name of ["vegas Alpha=1", "linux/vegas"]) {
      const variant = algorithmStyle(name);
      expect([variant.hue, variant.marker]).toEqual([vegas.hue, vegas.marker]);
      expect(variant.dash).toBeGreaterThan(0);
      expect(dashArray(variant.dash)).toMatch(/^[\d. ]+$/);
    }
    expect(dashArray(vegas.dash)).toBeUndefined();
  });

  it("places an unknown name by its hash, whatever else is shown", () => {
    expect(algorithmStyle("my-own")).toEqual(algorithmStyle("my-own"));
    expect(algorithmStyle("foobar").hue).toBe(0xbf9cf968 % 12);
    expect(algorithmStyle("foobar Alpha=1")).toMatchObject({ hue: 0xbf9cf968 % 12, kind: "foobar" });
  });

  it("never gives two of a kind in one figure the same dash", () => {
    const names = [1, 2, 3, 4, 5, 6].map((alpha) => `vegas Alpha=${alpha}`);
    const dashes = dashesOf(["vegas", ...names]);
    expect(new Set(dashes.values()).size).toBe(7);
    expect(dashes.get("vegas")).toBe(0);
    expect(Math.max(...dashes.values())).toBeLessThan(dashPatterns.length);
  });

  it("is the table that the CSS tokens repeat", () => {
    expect(blocks).toHaveLength(3);
    const [light, ...darks] = blocks;
    for (let hue = 0; hue < 12; hue += 1) {
      expect([light?.[`a${hue}`], light?.[`t${hue}`]]).toEqual([hues.light[hue], textHues.light[hue]]);
      for (const dark of darks)
        expect([dark[`a${hue}`], dark[`t${hue}`]]).toEqual([hues.dark[hue], textHues.dark[hue]]);
    }
    expect(darks[0]).toEqual(darks[1]);
  });
});

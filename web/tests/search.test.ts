import { describe, expect, it } from "vitest";
import { flag, number, oneOf, search, stringify, text, texts } from "../src/app/search";

const read = search({ metric: text, where: texts, scale: oneOf("log", "linear"), at: number, incomplete: flag });

describe("parameters of an address", () => {
  it("are read by type", () => {
    expect(read({ metric: "drops", where: ["a=1"], scale: "log", at: "12", incomplete: true })).toEqual({
      metric: "drops",
      where: ["a=1"],
      scale: "log",
      at: 12,
      incomplete: true,
    });
    expect(read({ where: "a=1", at: 0 })).toEqual({ where: ["a=1"], at: 0 });
  });

  it("that are unknown or wrong are reported, the others are used", () => {
    expect(read({ metric: "drops", scale: "cubic", colour: "red", at: "many" })).toEqual({
      metric: "drops",
      rejected: [
        { name: "scale", value: "cubic", problem: 'scale="cubic" is not a valid value' },
        { name: "colour", value: "red", problem: "colour is not a parameter of this page" },
        { name: "at", value: "many", problem: 'at="many" is not a valid value' },
      ],
    });
  });

  it("stay in the address, in their places, until the view changes", () => {
    const view = read({ scale: "cubic", metric: "drops", colour: "red" });
    expect(read(view)).toEqual(view);
    expect(stringify(view)).toBe("?scale=cubic&metric=drops&colour=red");
    expect(stringify(read({ ...view, rejected: undefined }))).toBe("?metric=drops");
  });

  it("may have names that objects inherit, or the one under which the page keeps what it rejected", () => {
    const view = read({ toString: 1, rejected: 1 });
    expect(view.rejected?.map(({ problem }) => problem)).toEqual([
      "toString is not a parameter of this page",
      "rejected is not a parameter of this page",
    ]);
    expect(stringify(view)).toBe("?toString=1&rejected=1");
    for (const rejected of [1, [null], "text", [{ name: "a" }]]) expect(stringify({ rejected })).toContain("rejected=");
  });
});

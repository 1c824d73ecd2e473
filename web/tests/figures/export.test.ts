import { describe, expect, it } from "vitest";
import { presentationAttributes, toCsv } from "../../src/figures/export";
import { isLatin } from "../../src/figures/fonts";

describe("CSV", () => {
  it("follows RFC 4180", () => {
    expect(
      toCsv([
        ["algorithm", "mean, Mb/s"],
        ['vegas "fast"', 1.5],
        ["a\nb", null],
        ["", true],
      ]),
    ).toBe('algorithm,"mean, Mb/s"\r\n"vegas ""fast""",1.5\r\n"a\nb",\r\n,true\r\n');
  });

  it("keeps every digit of a number", () =>
    expect(toCsv([[-12.150126240365054, 1e-7]])).toBe("-12.150126240365054,1e-7\r\n"));

  it("is empty without rows", () => expect(toCsv([])).toBe(""));
});

describe("inlined styles", () => {
  const computed: Record<string, string> = {
    fill: "rgb(31, 135, 114)",
    stroke: "none",
    opacity: "0.15",
    "stroke-width": "1px",
    "font-family": '"Inter Variable", sans-serif',
    "font-size": "12px",
  };
  const of = (property: string) => computed[property] ?? "";

  it("are those that differ from a document without a style sheet", () => {
    expect(presentationAttributes(of, false)).toEqual([
      ["fill", "rgb(31, 135, 114)"],
      ["opacity", "0.15"],
    ]);
  });

  it("leave out what text within text inherits", () => {
    const bold = (property: string) => (property === "font-weight" ? "600" : of(property));
    expect(presentationAttributes(bold, true, of)).toEqual([["font-weight", "600"]]);
  });

  it("embed the face that has ASCII", () => {
    expect(["", "U+0000-00FF, U+0131", "U+0-FF", "U+0100-02BA", "U+1EA0-1EF9"].map(isLatin)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it("name the font of text", () => {
    expect(presentationAttributes(of, true)).toContainEqual(["font-family", '"Inter Variable", sans-serif']);
  });
});

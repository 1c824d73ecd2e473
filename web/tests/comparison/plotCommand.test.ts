import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { buildModel, type ComparisonView } from "../../src/pages/comparison/model";
import {
  cdfCommand,
  coexistenceCommand,
  figureCommand,
  plotCommand,
  scatterCommand,
  seriesCommand,
  shellWord,
} from "../../src/pages/comparison/plotCommand";
import { incast, metric } from "./fixtures";

const model = (view: ComparisonView = {}) => {
  const built = buildModel(incast(), view);
  if (!built) throw new Error("no model");
  return built;
};
const command = (view: ComparisonView = {}) => figureCommand(incast(), model(view));

describe("the command of a chart", () => {
  it("draws lines over the axis of numbers", () => {
    expect(command()).toBe("windtunnel plot c0ffee --kind line --x servers --y goodput --by algorithm -o figure.pdf");
    expect(command({ scale: "linear" })).toContain(" --linear x ");
    expect(command({ where: ["algorithm=cubic"] })).toContain(" --by algorithm --where algorithm=cubic ");
  });

  it("draws dots at the chosen place", () => {
    expect(command({ chart: "dots", at: "32" })).toBe(
      "windtunnel plot c0ffee --kind dots --y goodput --by algorithm --where servers=32 -o figure.pdf",
    );
  });

  it("draws a heat map with the page's columns and rows", () => {
    expect(command({ chart: "heat" })).toBe(
      "windtunnel plot c0ffee --kind heatmap --x servers --y goodput --by algorithm -o figure.pdf",
    );
    expect(command({ chart: "heat", x: "none", facet: "none" })).toBe(
      "windtunnel plot c0ffee --kind heatmap --x servers --y goodput --by algorithm -o figure.pdf",
    );
  });

  it("has none for single seeds", () => {
    expect(command({ chart: "seeds" })).toBeUndefined();
  });

  it("draws distributions, of the chosen place where there are too many cells", () => {
    expect(cdfCommand(incast(), model(), "fct_ms", false)).toBe(
      "windtunnel plot c0ffee --kind cdf --x fct_ms --facet none -o figure.pdf",
    );
    expect(cdfCommand(incast(), model(), "fct_ms", true)).toContain(" --where servers=8 ");
  });

  it("draws trade-offs, coexistence and signals", () => {
    expect(scatterCommand(incast(), model(), metric("goodput"), metric("delay", "lower"))).toBe(
      "windtunnel plot c0ffee --kind scatter --y goodput --y delay -o figure.pdf",
    );
    expect(coexistenceCommand(incast(), { "workload.servers": "8" }, model().axes)).toBe(
      "windtunnel plot c0ffee --kind heatmap --where servers=8 -o figure.pdf",
    );
    expect(seriesCommand("c0ffee", "abc123", ["cwnd flow0", "goodput"], [1.5, 20])).toBe(
      "windtunnel plot c0ffee --run abc123 --series 'cwnd flow0' --series goodput --from 1.5 --to 20 -o figure.pdf",
    );
    expect(seriesCommand("c0ffee", "abc123", ["goodput"], null)).not.toContain("--from");
  });
});

describe("quoting", () => {
  const awkward = ["plain", "two words", "it's", "$HOME `id` $(id)", 'a"b', "a\\b", "*?[x]", "x;y|z&", "", "ä", "!"];

  it("gives a shell every word as it is", () => {
    const script = `printf '%s\\n' ${awkward.map(shellWord).join(" ")}`;
    const read = execFileSync("/bin/sh", ["-c", script], { encoding: "utf8" });
    expect(read).toBe(awkward.map((word) => `${word}\n`).join(""));
  });

  it("joins a value that begins with a dash to its option", () => {
    expect(plotCommand("c0ffee", { title: "-5 %" })).toBe("windtunnel plot c0ffee --title='-5 %' -o figure.pdf");
  });
});

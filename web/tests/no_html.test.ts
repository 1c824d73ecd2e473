/// <reference types="vite/client" />
import { describe, expect, it } from "vitest";
import { withTextTooltip } from "../src/components/Chart";
import { withoutElements } from "../src/trustedTypes";

const FORBIDDEN = /innerHTML|outerHTML|dangerouslySetInnerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|renderMode: "html"|\beval\(|new Function/;

const files = import.meta.glob<string>("../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });
const sources = Object.entries(files).map(([name, text]) => ({ name, text }));

describe("text never becomes HTML", () => {
  it.each(sources)("$name", ({ text }) => {
    expect(text).not.toMatch(FORBIDDEN);
  });

  it("the policy of Trusted Types refuses elements", () => {
    expect(withoutElements(":root > a { color: red }")).toBe(":root > a { color: red }");
    expect(withoutElements("<img src=x onerror=alert(1)>")).toBeNull();
  });

  it("only Chart.tsx runs ECharts, and its tooltips are text", () => {
    const users = sources.filter(({ text }) => /from "echarts\/(core|charts|components|renderers)"/.test(text));
    expect(users.map(({ name }) => name)).toEqual(["../src/components/Chart.tsx"]);
    const option = withTextTooltip({ tooltip: { trigger: "axis", renderMode: "html" } });
    expect(option.tooltip).toMatchObject({ trigger: "axis", renderMode: "richText" });
  });
});

/// <reference types="vite/client" />
import { describe, expect, it } from "vitest";

const FORBIDDEN =
  /innerHTML|outerHTML|dangerouslySetInnerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|renderMode: "html"|\beval\(|new Function/;

const files = import.meta.glob<string>("../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });
const sources = Object.entries(files).map(([name, text]) => ({ name, text }));

describe("text never becomes HTML", () => {
  it.each(sources)("$name", ({ text }) => {
    expect(text).not.toMatch(FORBIDDEN);
  });
});

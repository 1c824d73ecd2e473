/** Fonts of the page inside an SVG, because an SVG that is loaded as an image sees none of them. */

/** `<style>` with the Latin part of the first font of a list, as a data: URL; empty if the page has no such font. */
export async function embeddedFonts(families: string): Promise<string> {
  const family = unquote(families.split(",")[0] ?? "");
  const rules = [...document.styleSheets].flatMap((sheet) => fontFaces(sheet, family));
  const faces = await Promise.all(rules.map(({ rule, base }) => embeddedFace(rule, base).catch(() => "")));
  return faces.some(Boolean) ? `<style>${faces.join("")}</style>` : "";
}

interface FontFace {
  rule: CSSFontFaceRule;
  base: string;
}

function fontFaces(sheet: CSSStyleSheet, family: string): FontFace[] {
  const base = sheet.href ?? document.baseURI;
  return [...sheet.cssRules]
    .filter((rule): rule is CSSFontFaceRule => rule instanceof CSSFontFaceRule)
    .filter(
      ({ style }) =>
        unquote(style.getPropertyValue("font-family")) === family && style.getPropertyValue("font-style") !== "italic",
    )
    .filter(({ style }) => isLatin(style.getPropertyValue("unicode-range")))
    .map((rule) => ({ rule, base }));
}

const unquote = (name: string) => name.trim().replace(/^["']|["']$/g, "");

/** Whether a `unicode-range` covers ASCII; a face without one covers everything. */
export const isLatin = (range: string): boolean =>
  range === "" || /U\+0+(-|,|$)/i.test(range.split(",")[0]?.trim() ?? "");

async function embeddedFace({ style }: CSSFontFaceRule, base: string): Promise<string> {
  const [, url] = /url\(["']?([^"')]+)["']?\)/.exec(style.getPropertyValue("src")) ?? [];
  if (!url) return "";
  const response = await fetch(new URL(url, base));
  if (!response.ok) return "";
  const data = await dataUrl(await response.blob());
  const family = unquote(style.getPropertyValue("font-family"));
  const weight = style.getPropertyValue("font-weight") || "400";
  return `@font-face{font-family:"${family}";font-weight:${weight};src:url(${data}) format("woff2")}`;
}

function dataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error("the font could not be read"));
    reader.readAsDataURL(blob);
  });
}

/** A drawn figure as a file: SVG that stands alone, PNG, and its numbers as CSV. */
import { embeddedFonts } from "./fonts";
import { px } from "./scales";

/** Properties that a style sheet may give to a drawn element, with the values they have without one. */
const PROPERTIES: Record<string, string> = {
  fill: "rgb(0, 0, 0)",
  "fill-opacity": "1",
  stroke: "none",
  "stroke-width": "1px",
  "stroke-opacity": "1",
  "stroke-dasharray": "none",
  "stroke-linecap": "butt",
  "stroke-linejoin": "miter",
  opacity: "1",
  "paint-order": "normal",
  "shape-rendering": "auto",
};
/** Those of text, which tspans inherit. */
const TEXT_PROPERTIES = [
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "letter-spacing",
  "font-variant-numeric",
];
/** Room around an exported figure, in px. */
const PADDING = 12;
const LEFT_OUT = ".hit, .focus, .selection, .picker, .behind";

export type Background = "white" | "page" | "transparent";

/**
 * The properties of one element as attributes: those that differ from the values without a style sheet or, in text
 * within text, from its parent's.
 */
export function presentationAttributes(
  computed: (property: string) => string,
  isText: boolean,
  parent?: (property: string) => string,
): [name: string, value: string][] {
  const properties = [...Object.keys(PROPERTIES), ...(isText ? TEXT_PROPERTIES : [])];
  return properties
    .map((property): [string, string] => [property, computed(property)])
    .filter(([property, value]) => value !== "" && value !== (parent ? parent(property) : PROPERTIES[property]));
}

/**
 * A standalone SVG of a drawn figure: computed colours, sizes and fonts become attributes. On white it has the
 * colours of the light theme, else of the theme that is shown. Fonts are named, not embedded.
 */
export function figureToSvg(figure: SVGSVGElement, background: Background = "transparent"): string {
  const copy = figure.cloneNode(true) as SVGSVGElement;
  const host = document.createElement("div");
  host.style.cssText = "position: fixed; left: -100000px; top: 0";
  if (background === "white") {
    host.dataset.theme = "light";
    host.style.setProperty("--page", "#ffffff");
  }
  host.append(copy);
  document.body.append(host);
  try {
    for (const element of copy.querySelectorAll(LEFT_OUT)) element.remove();
    inlineStyles(copy);
    const { width, height } = paddedSize(figure);
    copy.setAttribute("width", String(width));
    copy.setAttribute("height", String(height));
    copy.setAttribute("viewBox", `${-PADDING} ${-PADDING} ${width} ${height}`);
    if (background !== "transparent") {
      const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      for (const [name, value] of [
        ["x", String(-PADDING)],
        ["y", String(-PADDING)],
        ["width", "100%"],
        ["height", "100%"],
        ["fill", getComputedStyle(host).getPropertyValue("--page").trim()],
      ] as const)
        rect.setAttribute(name, value);
      copy.prepend(rect);
    }
    return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
  } finally {
    host.remove();
  }
}

function paddedSize({ viewBox }: SVGSVGElement): { width: number; height: number } {
  return { width: px(viewBox.baseVal.width) + 2 * PADDING, height: px(viewBox.baseVal.height) + 2 * PADDING };
}

/** Replace classes and data attributes by what they do; all styles are read before any is changed. */
function inlineStyles(svg: SVGSVGElement): void {
  const elements = [...svg.querySelectorAll<SVGElement>("*")].filter(
    ({ tagName }) => !/^(title|g|clipPath)$/.test(tagName),
  );
  const styles = elements.map((element) => {
    const style = getComputedStyle(element);
    const parent =
      element.tagName === "tspan" && element.parentElement ? getComputedStyle(element.parentElement) : null;
    return presentationAttributes(
      (property) => style.getPropertyValue(property),
      /^(text|tspan)$/.test(element.tagName),
      parent ? (property) => parent.getPropertyValue(property) : undefined,
    );
  });
  elements.forEach((element, i) => {
    for (const [name, value] of styles[i] ?? []) element.setAttribute(name, value);
  });
  for (const element of [svg, ...svg.querySelectorAll<SVGElement>("*")]) {
    for (const name of ["class", "style", "tabindex", "role"]) element.removeAttribute(name);
    for (const name of Object.keys(element.dataset)) delete element.dataset[name];
  }
  svg.setAttribute("role", "img");
}

/** A PNG of a standalone SVG, drawn through a canvas at `scale` pixels for each of its own. */
export async function svgToPng(svg: string, width: number, height: number, scale = 2): Promise<Blob> {
  const image = new Image(width, height);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this browser has no 2D canvas");
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("the figure could not be encoded as PNG"))),
      "image/png",
    );
  });
}

/** In the page's own font, which is embedded for the drawing. */
export async function figureToPng(figure: SVGSVGElement, background: Background = "white", scale = 2): Promise<Blob> {
  const svg = figureToSvg(figure, background);
  const { width, height } = paddedSize(figure);
  const fonts = await embeddedFonts(getComputedStyle(figure.querySelector("text") ?? figure).fontFamily);
  return svgToPng(svg.replace(/(<svg[^>]*>)/, `$1${fonts}`), width, height, scale);
}

export type CsvValue = string | number | boolean | null | undefined;

/** RFC 4180: CRLF, quotes doubled; empty for a value that is missing. The first row is the header. */
export function toCsv(rows: readonly (readonly CsvValue[])[]): string {
  return rows.map((row) => `${row.map(csvField).join(",")}\r\n`).join("");
}

function csvField(value: CsvValue): string {
  if (value === null || value === undefined) return "";
  // A spreadsheet takes text that begins so for a formula; labels are chosen by whoever submits.
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Have the browser save a file. */
export function download(name: string, content: string | Blob, type = "text/plain"): void {
  const url = URL.createObjectURL(
    typeof content === "string" ? new Blob([content], { type: `${type};charset=utf-8` }) : content,
  );
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

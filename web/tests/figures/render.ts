import type { ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";

/** The elements of a drawn figure that have a class: their attributes and their text. */
export interface Drawn {
  attributes: Record<string, string>;
  text: string;
}

export const draw = (figure: ReactElement): string => renderToStaticMarkup(figure);

const ENTITIES: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#x27;": "'" };
const decode = (text: string) => text.replace(/&[^;]+;/g, (entity) => ENTITIES[entity] ?? entity);

const attributesOf = (source: string): Record<string, string> =>
  Object.fromEntries(
    [...source.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, decode(value)]),
  );

/** All elements `tag` whose class list contains every one of `classes`. */
export function find(markup: string, tag: string, classes = ""): Drawn[] {
  return [...markup.matchAll(new RegExp(`<${tag}(\\s[^>]*?)?(?:/>|>(.*?)</${tag}>)`, "gs"))]
    .map(([, attributes = "", body = ""]) => ({
      attributes: attributesOf(attributes),
      text: decode(body.replace(/<[^>]*>/g, "")),
    }))
    .filter(({ attributes }) =>
      classes.split(" ").every((name) => name === "" || (attributes.class ?? "").split(" ").includes(name)),
    );
}

/** Where a marker was put. */
export function position({ attributes }: Drawn): [number, number] {
  const [, x = "", y = ""] = /translate\(([-\d.]+),([-\d.]+)\)/.exec(attributes.transform ?? "") ?? [];
  return [Number(x), Number(y)];
}

/** The points of a path's subpaths that consist of M and L with absolute coordinates. */
export const subpaths = (d: string): [number, number][][] =>
  d
    .split("M")
    .filter(Boolean)
    .map((part) =>
      part
        .replace(/Z/g, "")
        .split("L")
        .map((point) => point.split(",").map(Number) as [number, number]),
    );

/** Validation of view state in the address: unknown parameters and bad values are reported, never ignored. */

import { defaultStringifySearch } from "@tanstack/react-router";

/** A parameter of the address that the page cannot use. */
export interface RejectedParameter {
  name: string;
  value: unknown;
  problem: string;
}

export interface Rejected {
  rejected?: RejectedParameter[] | undefined;
}

type Reader<T> = (value: unknown) => T | undefined;

export const text: Reader<string> = (value) =>
  typeof value === "string" && value !== ""
    ? value
    : typeof value === "number" || typeof value === "boolean"
      ? String(value)
      : undefined;

export const texts: Reader<string[]> = (value) => {
  const list = (Array.isArray(value) ? value : [value]).map(text);
  return list.every((item) => item !== undefined) ? (list as string[]) : undefined;
};

export const number: Reader<number> = (value) =>
  value !== "" && value !== null && typeof value !== "boolean" && Number.isFinite(Number(value))
    ? Number(value)
    : undefined;

export const flag: Reader<boolean> = (value) => (value === true || value === "true" || value === 1 ? true : undefined);

export const oneOf =
  <T extends string>(...choices: T[]): Reader<T> =>
  (value) =>
    choices.find((choice) => choice === value);

/** A validateSearch function: reads each parameter with its reader and lists what it rejects. */
export function search<R extends Record<string, Reader<unknown>>>(readers: R) {
  type View = { [K in keyof R]?: Exclude<ReturnType<R[K]>, undefined> } & Rejected;
  return (given: object): View => {
    const view: Record<string, unknown> = {};
    const rejected: RejectedParameter[] = [];
    for (const [name, value] of entries(given)) {
      const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
      const read = reader?.(value);
      // The router merges what is given here over the address: undefined takes a parameter out of the view.
      view[name] = read;
      if (!reader) rejected.push({ name, value, problem: `${name} is not a parameter of this page` });
      else if (read === undefined)
        rejected.push({ name, value, problem: `${name}=${JSON.stringify(value)} is not a valid value` });
    }
    return { ...view, rejected: rejected.length > 0 ? rejected : undefined } as View;
  };
}

/** What is given, by the address or by a view: the router also reads a view that has been read before. */
function entries(given: object): [string, unknown][] {
  const { rejected, ...others } = given as Record<string, unknown>;
  const all = isRejection(rejected)
    ? { ...others, ...Object.fromEntries(rejected.map(({ name, value }) => [name, others[name] ?? value])) }
    : given;
  return Object.entries(all).filter(([, value]) => value !== undefined);
}

/** The address of a view, with what was rejected: the router reads it again, and it must be reported then too. */
export function stringify(view: object): string {
  const { rejected, ...accepted } = view as Record<string, unknown> & Rejected;
  if (!isRejection(rejected)) return defaultStringifySearch(view);
  return defaultStringifySearch({
    ...accepted,
    ...Object.fromEntries(rejected.map(({ name, value }) => [name, value])),
  });
}

/** Whether this is what `search` made; an address may say `rejected` as well. */
function isRejection(value: unknown): value is RejectedParameter[] {
  return Array.isArray(value) && value.every((entry) => typeof entry?.name === "string" && "problem" in entry);
}

/** Nested settings as rows of paths and values. */

export interface Setting {
  path: string;
  value: string;
}

export interface ComparedSetting extends Setting {
  /** The other's value if it differs: `–` if it has none. */
  other: string | undefined;
}

/** `topology.queue.limit` of `{topology: {queue: {limit: ..}}}`; short lists of plain values are one row. */
export function flatten(value: unknown, path = ""): Setting[] {
  if (Array.isArray(value)) {
    const plain = value.every((item) => typeof item !== "object" || item === null);
    if (plain) return [{ path, value: value.length === 0 ? "none" : value.map(shown).join(", ") }];
    return value.flatMap((item, index) => flatten(item, `${path}[${index}]`));
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value);
    return entries.flatMap(([key, item]) => flatten(item, path ? `${path}.${key}` : key));
  }
  return [{ path, value: shown(value) }];
}

const shown = (value: unknown): string => (value === null ? "–" : String(value));

const UNITS: [RegExp, (digits: string) => string][] = [
  [
    /^\+?([\d.]+(?:e\+?\d+)?)ns$/,
    (digits) =>
      scaled(digits, [
        ["s", 1e9],
        ["ms", 1e6],
        ["us", 1e3],
        ["ns", 1],
      ]),
  ],
  [
    /^(\d+)bps$/,
    (digits) =>
      scaled(digits, [
        ["Gbps", 1e9],
        ["Mbps", 1e6],
        ["kbps", 1e3],
        ["bps", 1],
      ]),
  ],
  [/^(\d+)mbdp$/, (digits) => `${Number(digits) / 1000} BDP`],
  [/^(\d+)B$/, (digits) => scaled(digits, Number(digits) % 1024 === 0 ? [["KiB", 1024]] : [["bytes", 1]])],
  [/^(\d+)p$/, (digits) => `${digits} packets`],
];

const scaled = (digits: string, steps: [string, number][]): string => {
  const value = Number(digits);
  const [unit, factor] = steps.find(([, factor]) => value >= factor) ?? steps[steps.length - 1] ?? ["", 1];
  return `${(value / factor).toLocaleString("en-US", { maximumFractionDigits: 6 })} ${unit}`;
};

/** `2 s` of the canonical `2000000000ns`. */
export function readable(value: string): string {
  for (const [pattern, format] of UNITS) {
    const digits = pattern.exec(value)?.[1];
    if (digits !== undefined) return format(digits);
  }
  return value;
}

/** What differs from the other first, then all the rest; settings that only the other has are among the first. */
export function compareSettings(
  settings: readonly Setting[],
  others: readonly Setting[] | undefined,
): ComparedSetting[] {
  if (!others) return settings.map((setting) => ({ ...setting, other: undefined }));
  const theirs = new Map(others.map(({ path, value }) => [path, value]));
  const own = new Set(settings.map(({ path }) => path));
  const compared = settings.map((setting) => {
    const other = theirs.get(setting.path);
    return { ...setting, other: other === setting.value ? undefined : (other ?? "–") };
  });
  const absent = others
    .filter(({ path }) => !own.has(path))
    .map(({ path, value }) => ({ path, value: "–", other: value }));
  return [
    ...compared.filter(({ other }) => other !== undefined),
    ...absent,
    ...compared.filter(({ other }) => other === undefined),
  ];
}

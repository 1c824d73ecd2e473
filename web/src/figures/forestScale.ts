/** The axis of a forest: doublings for ratios, percent if all ratios are near 1, linear for differences. */
import { scaleLog } from "d3-scale";
import type { ForestRow } from "./Forest";
import { clamp, linearScale, niceDomain, type Scale } from "./scales";

/** Ends of intervals beyond these factors are cut, with an arrow. */
const WIDEST = 16;
const PERCENT_TICKS = [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.4, 1.5];

export function forestScale(
  kind: "ratio" | "difference",
  rows: readonly ForestRow[],
  range: readonly [number, number],
): Scale {
  const values = rows
    .flatMap(({ value, low, high }) => [value, low, high])
    .filter((value): value is number => value !== null);
  if (kind === "difference") {
    const means = rows.flatMap(({ value }) => (value === null ? [] : [Math.abs(value)]));
    const most = Math.max(...means, 0) * 3;
    const ends = [0, ...values.map((value) => (most > 0 ? clamp(value, [-most, most]) : value))];
    const [low, high] = niceDomain(ends, { count: 4 });
    const scale = linearScale([low, high], range, 4);
    return Object.assign(scale, {
      ticks: scale.ticks.map((tick) => ({ ...tick, label: tick.value > 0 ? `+${tick.label}` : tick.label })),
    });
  }
  const cut = values.map((value) => clamp(value, [1 / WIDEST, WIDEST]));
  const low = Math.min(1, ...cut);
  const high = Math.max(1, ...cut);
  return high <= 1.3 && low >= 0.75 ? percentScale(low, high, range) : doublingScale(low, high, range);
}

function ratioScale(domain: [number, number], range: readonly [number, number], ticks: Scale["ticks"]): Scale {
  const d3 = scaleLog(domain, range);
  return Object.assign((value: number) => d3(value), { invert: (at: number) => d3.invert(at), domain, ticks });
}

function doublingScale(low: number, high: number, range: readonly [number, number]): Scale {
  const first = Math.min(-1, Math.floor(Math.log2(low) + 1e-9));
  const last = Math.max(1, Math.ceil(Math.log2(high) - 1e-9));
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => {
    const power = first + i;
    return { value: 2 ** power, label: power === 0 ? "equal" : power < 0 ? `÷${2 ** -power}` : `×${2 ** power}` };
  });
  return ratioScale([2 ** first, 2 ** last], range, ticks);
}

function percentScale(low: number, high: number, range: readonly [number, number]): Scale {
  const from = PERCENT_TICKS.filter((tick) => tick <= low && tick < 1).at(-1) ?? 0.5;
  const to = PERCENT_TICKS.find((tick) => tick >= high && tick > 1) ?? 1.5;
  const ticks = PERCENT_TICKS.filter((tick) => tick >= from && tick <= to).map((value) => {
    const percent = Math.round(100 * (value - 1));
    return { value, label: percent === 0 ? "equal" : `${percent > 0 ? "+" : "−"}${Math.abs(percent)} %` };
  });
  return ratioScale([from, to], range, ticks);
}

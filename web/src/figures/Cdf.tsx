/** Distributions as step lines: which fraction of values is at most x. */
import { curveStepAfter, line } from "d3-shape";
import { algorithmStyle, dashArray, dashesOfLines } from "./algorithms";
import { Figure, Legend, Line, legendLayout, Marker, PlaceAxis, Text, ValueAxis } from "./marks";
import {
  dataDomain,
  linearScale,
  logScale,
  niceDomain,
  px,
  type Scale,
  spaceTicks,
  spreadLabels,
  textWidth,
} from "./scales";
import { NARROW } from "./types";

/** A value, and the fraction of values that are at most it. */
export type CdfPoint = readonly [value: number, fraction: number];

export interface CdfSeries {
  name: string;
  label?: string | undefined;
  /** In ascending order. */
  points: readonly CdfPoint[];
}

export interface CdfProps {
  width: number;
  height: number;
  series: readonly CdfSeries[];
  x: { title: string; unit?: string | undefined; log: boolean; domain?: readonly [number, number] | undefined };
  /** Fractions with a guide line. */
  quantiles?: readonly number[] | undefined;
  label: string;
}

const MEDIAN_AND_TAIL = [0.5, 0.99];

/** The least value that a fraction of the values is at most: where the steps cross it. */
export const valueAt = (points: readonly CdfPoint[], fraction: number): number | null =>
  points.find(([, reached]) => reached >= fraction - 1e-12)?.[0] ?? null;

export function Cdf({ width, height, series, x, quantiles = MEDIAN_AND_TAIL, label }: CdfProps) {
  const narrow = width < NARROW;
  const dashes = dashesOfLines(series.map(({ name }) => name));
  const named = series.map((s, i) => ({ ...s, label: s.label ?? s.name, dash: dashes[i] ?? 0 }));
  const legend = narrow && series.length > 1 ? legendLayout(named, width).height : 0;
  const values = series.flatMap(({ points }) => points.map(([value]) => value));
  const log = x.log && values.some((value) => value > 0);
  const positive = log ? values.filter((value) => value > 0) : values;
  const domain =
    x.domain ??
    (log ? dataDomain(positive, true) : niceDomain(values, { floor: Math.min(0, ...values) >= 0 ? 0 : null }));

  const [left, right, top, bottom] = [narrow ? 38 : 50, width - (narrow ? 16 : 48), legend + 30, height - 40];
  const scaleX = (log ? logScale : linearScale)(domain, [left + 4, right]);
  const scaleY = linearScale([0, 1], [bottom, top], 4);
  const atX = (value: number) => px(Math.max(left, scaleX(log ? Math.max(value, domain[0]) : value)));
  const draw = line<CdfPoint>(
    ([value]) => atX(value),
    ([, fraction]) => px(scaleY(fraction)),
  ).curve(curveStepAfter);
  return (
    <Figure width={width} height={height} label={label}>
      {legend > 0 && <Legend entries={named} width={width} />}
      <Text x={0} y={legend + 12} className="title">
        <tspan className="strong">fraction</tspan>
        <tspan dx={5}>of values at most x</tspan>
      </Text>
      <ValueAxis scale={scaleY} from={left} to={right} />
      <PlaceAxis scale={scaleX} ticks={spaceTicks(scaleX)} y={bottom} />
      <Text x={right} y={height - 4} className="title" anchor="end">
        {x.title}
        {x.unit && `, ${x.unit}`}
        {log && <tspan className="soft">, log scale</tspan>}
      </Text>
      {quantiles.map((quantile) => (
        <g key={quantile} className="quantiles">
          <Line x1={left} x2={right} y1={scaleY(quantile)} y2={scaleY(quantile)} className="guide" />
          <Text x={right + 6} y={scaleY(quantile) + 4} className="note">
            {narrow ? "" : quantile === 0.5 ? "median" : `p${Number((100 * quantile).toFixed(1))}`}
          </Text>
        </g>
      ))}
      {named.map((s) => {
        const [first] = s.points;
        const start: CdfPoint[] = first ? [[first[0], 0]] : [];
        return (
          <g key={s.label} data-a={algorithmStyle(s.name).hue} data-series={s.name}>
            <path className="ln" d={draw([...start, ...s.points]) ?? ""} strokeDasharray={dashArray(s.dash)} />
            {quantiles.map((quantile) => {
              const value = valueAt(s.points, quantile);
              return value === null ? null : (
                <Marker key={quantile} name={s.name} x={atX(value)} y={scaleY(quantile)} r={3.9} />
              );
            })}
          </g>
        );
      })}
      {!narrow && <CdfLabels series={named} scaleX={scaleX} scaleY={scaleY} atX={atX} right={right} />}
    </Figure>
  );
}

interface CdfLabelsProps {
  series: readonly (CdfSeries & { label: string })[];
  scaleX: Scale;
  scaleY: Scale;
  atX: (value: number) => number;
  right: number;
}

/** Names beside the lines, each at its own height, in the order of the lines from left to right. */
function CdfLabels({ series, scaleX, scaleY, atX, right }: CdfLabelsProps) {
  const drawn = series
    .filter(({ points }) => points.length > 0)
    .sort((a, b) => (valueAt(a.points, 0.5) ?? 0) - (valueAt(b.points, 0.5) ?? 0));
  const wanted = drawn.map((_, i) => scaleY(0.9 - (0.78 * (i + 0.5)) / Math.max(1, drawn.length)));
  const ys = spreadLabels(wanted, 17, scaleY(0.93), scaleY(0.07));
  return drawn.map((s, i) => {
    const y = ys[i] ?? 0;
    const x = atX(valueAt(s.points, scaleY.invert(y)) ?? 0);
    // the first line has room at its left
    const left =
      x + 10 + textWidth(s.label) > right ||
      (i === 0 && drawn.length > 1 && x - 12 - textWidth(s.label) > scaleX(scaleX.domain[0]));
    return (
      <Text
        key={s.label}
        x={x + (left ? -9 : 9)}
        y={y + 4}
        className="label halo"
        anchor={left ? "end" : "start"}
        hue={algorithmStyle(s.name).hue}
      >
        {s.label}
      </Text>
    );
  });
}

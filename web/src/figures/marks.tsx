/** Parts that figures share: markers, names, axes and labels. */
import type { CSSProperties, ReactNode } from "react";
import { algorithmStyle, dashArray, type MarkerName } from "./algorithms";
import { clamp, px, type Scale, type Tick, textWidth } from "./scales";
import type { Axis, Direction, Interval, Reference } from "./types";

function polygon(corners: number, radius: number, turn: number, inner?: number): string {
  const count = inner ? 2 * corners : corners;
  const points = Array.from({ length: count }, (_, i) => {
    const angle = turn + (i * Math.PI * 2) / count;
    const distance = inner && i % 2 ? inner : radius;
    return `${(distance * Math.sin(angle)).toFixed(2)},${(-distance * Math.cos(angle)).toFixed(2)}`;
  });
  return `M${points.join("L")}Z`;
}

/** Outline of a marker around the origin; all have about the same area at a radius. */
export function markerPath(marker: MarkerName, r: number): string {
  const square = px(r * 0.88);
  const [long, wide] = [px(r * 1.15), px(r * 0.4)];
  switch (marker) {
    case "circle":
      return `M${-r},0a${r},${r} 0 1 0 ${2 * r},0a${r},${r} 0 1 0 ${-2 * r},0Z`;
    case "square":
      return `M${-square},${-square}H${square}V${square}H${-square}Z`;
    case "triangle-up":
      return polygon(3, r * 1.25, 0);
    case "diamond":
      return polygon(4, r * 1.25, 0);
    case "triangle-down":
      return polygon(3, r * 1.25, Math.PI);
    case "hexagon":
      return polygon(6, r * 1.1, Math.PI / 6);
    case "plus":
      return `M${-wide},${-long}H${wide}V${-wide}H${long}V${wide}H${wide}V${long}H${-wide}V${wide}H${-long}V${-wide}H${-wide}Z`;
    case "star":
      return polygon(5, r * 1.3, 0, r * 0.58);
  }
}

export interface MarkerProps {
  name: string;
  x: number;
  y: number;
  r?: number;
  hollow?: boolean;
}

/** The marker of an algorithm at a point. */
export function Marker({ name, x, y, r = 4, hollow = false }: MarkerProps) {
  const { hue, marker } = algorithmStyle(name);
  return (
    <path
      className={hollow ? "mk hollow" : "mk"}
      data-a={hue}
      d={markerPath(marker, r)}
      transform={`translate(${px(x)},${px(y)})`}
    />
  );
}

/** An algorithm in running text: marker and name. `quiet` for a repeated name in a table. */
export function AlgorithmTag({ name, label = name, quiet = false }: { name: string; label?: string; quiet?: boolean }) {
  const { hue, marker } = algorithmStyle(name);
  return (
    <span className={quiet ? "algo quiet" : "algo"} data-a={hue}>
      <svg className="mkbox" viewBox="-6 -6 12 12" width={12} height={12} aria-hidden="true">
        <path className="mk" d={markerPath(marker, 4.2)} />
      </svg>
      {label}
    </span>
  );
}

export interface FigureProps {
  width: number;
  height: number;
  /** What a screen reader says. */
  label: string;
  /** Has parts that can be focused, which an image must not have. */
  interactive?: boolean;
  className?: string | undefined;
  children: ReactNode;
}

export function Figure({ width, height, label, interactive = false, className, children }: FigureProps) {
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      className={className ? `fig ${className}` : "fig"}
      viewBox={`0 0 ${px(width)} ${px(height)}`}
      width={px(width)}
      height={px(height)}
      role={interactive ? "group" : "img"}
      aria-label={label}
    >
      {children}
    </svg>
  );
}

export interface TextProps {
  x: number;
  y: number;
  className?: string;
  anchor?: "start" | "middle" | "end";
  hue?: number | undefined;
  transform?: string | undefined;
  style?: CSSProperties | undefined;
  children: ReactNode;
}

export function Text({ x, y, className, anchor = "start", hue, transform, style, children }: TextProps) {
  return (
    <text
      x={px(x)}
      y={px(y)}
      className={className}
      textAnchor={anchor}
      data-a={hue}
      transform={transform}
      style={style}
    >
      {children}
    </text>
  );
}

export interface LineProps {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
  className: string;
  dash?: string | undefined;
}

export function Line({ x1, y1, x2, y2, className, dash }: LineProps) {
  return <line x1={px(x1)} y1={px(y1)} x2={px(x2)} y2={px(y2)} className={className} strokeDasharray={dash} />;
}

const BETTER: Record<Direction, string> = { higher: "↑ better", lower: "↓ better", none: "" };

/** Title above a value axis: what, unit, and which way is better. */
export function ValueTitle({ axis, y = 12 }: { axis: Axis; y?: number }) {
  const better = BETTER[axis.direction ?? "none"];
  return (
    <Text x={0} y={y} className="title">
      <tspan className="strong">{axis.title}</tspan>
      {axis.unit && <tspan dx={5}>{axis.unit}</tspan>}
      {better && (
        <tspan className="soft" dx={8}>
          {better}
        </tspan>
      )}
      {axis.log && (
        <tspan className="soft" dx={8}>
          log scale
        </tspan>
      )}
    </Text>
  );
}

/** Horizontal grid lines with labels at the left. */
export function ValueAxis({ scale, from, to }: { scale: Scale; from: number; to: number }) {
  const base = Math.max(...scale.ticks.map(({ value }) => scale(value)));
  return scale.ticks.map(({ value, label }) => (
    <g key={value}>
      <Line x1={from} x2={to} y1={scale(value)} y2={scale(value)} className={scale(value) === base ? "base" : "grid"} />
      <Text x={from - 8} y={scale(value) + 4} className="tick" anchor="end">
        {label}
      </Text>
    </g>
  ));
}

/** Ticks below the plot; stubs for places without a label. */
export function PlaceAxis({ scale, ticks, y }: { scale: Scale; ticks: readonly Tick[]; y: number }) {
  return ticks.map(({ value, label }) => (
    <g key={value}>
      <Line x1={scale(value)} x2={scale(value)} y1={y} y2={y + (label ? 5 : 3)} className="tk" />
      {label && (
        <Text x={scale(value)} y={y + 18} className="tick" anchor="middle">
          {label}
        </Text>
      )}
    </g>
  ));
}

/** A dotted line at a value, labelled above its right end. */
export function ReferenceLine({
  reference,
  scale,
  from,
  to,
}: {
  reference: Reference;
  scale: Scale;
  from: number;
  to: number;
}) {
  const [low, high] = scale.domain;
  if (reference.value < low || reference.value > high * 1.001) return null;
  const y = scale(reference.value);
  return (
    <>
      <Line x1={from} x2={to} y1={y} y2={y} className="ref" />
      <Text x={to} y={y - 6} className="note halo" anchor="end">
        {reference.label}
      </Text>
    </>
  );
}

/** A confidence interval along x or y, cut at the ends of its axis; nothing without an interval. */
export function IntervalBar({
  interval,
  scale,
  at,
  vertical = false,
  thin = false,
}: {
  interval: Interval;
  scale: Scale;
  at: number;
  vertical?: boolean;
  thin?: boolean;
}) {
  if (interval.mean === null || interval.low === null || interval.high === null) return null;
  const low = scale(clamp(interval.low, scale.domain));
  const high = scale(clamp(interval.high, scale.domain));
  const className = thin ? "ci thin" : "ci";
  return vertical ? (
    <Line x1={at} x2={at} y1={low} y2={high} className={className} />
  ) : (
    <Line x1={low} x2={high} y1={at} y2={at} className={className} />
  );
}

export interface LegendEntry {
  name: string;
  label: string;
  dash?: number;
}

const LEGEND_ROW = 20;

/** Where each entry of a legend goes, in rows of a width; `height` is what they take. */
export function legendLayout(
  entries: readonly LegendEntry[],
  width: number,
): { places: { x: number; y: number }[]; height: number } {
  let x = 0;
  let y = 12;
  const places = entries.map(({ label }) => {
    const size = 20 + textWidth(label) + 14;
    if (x > 0 && x + size - 14 > width) {
      x = 0;
      y += LEGEND_ROW;
    }
    const place = { x, y };
    x += size;
    return place;
  });
  return { places, height: entries.length > 0 ? y + 10 : 0 };
}

/** Markers and names in rows, for figures too narrow for labels at their lines. */
export function Legend({ entries, width }: { entries: readonly LegendEntry[]; width: number }) {
  const { places } = legendLayout(entries, width);
  return entries.map(({ name, label, dash = 0 }, i) => {
    const { x, y } = places[i] ?? { x: 0, y: 0 };
    return (
      <g key={label} data-a={algorithmStyle(name).hue}>
        {dash > 0 && <Line x1={x} x2={x + 18} y1={y - 4} y2={y - 4} className="ln" dash={dashArray(dash)} />}
        <Marker name={name} x={x + (dash > 0 ? 9 : 6)} y={y - 4} r={4.2} />
        <Text x={x + (dash > 0 ? 23 : 16)} y={y} className="label">
          {label}
        </Text>
      </g>
    );
  });
}

/** The first characters of a label that fit into a width. */
export function shorten(label: string, width: number, size = 13): string {
  const most = Math.max(3, Math.floor(width / (size * 0.575)));
  return [...label].length <= most ? label : `${[...label].slice(0, most - 1).join("")}…`;
}

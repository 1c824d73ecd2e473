/** Two metrics against each other, better up and to the right: what a gain in one costs in the other. */
import { algorithmStyle } from "./algorithms";
import { Figure, IntervalBar, Legend, legendLayout, Marker, PlaceAxis, Text, ValueAxis, ValueTitle } from "./marks";
import {
  clamp,
  intervalEnds,
  linearScale,
  logScale,
  niceDomain,
  px,
  type Scale,
  spaceTicks,
  spreadLabels,
  textWidth,
} from "./scales";
import { type Axis, type Interval, NARROW } from "./types";

export interface ScatterPoint {
  name: string;
  label?: string | undefined;
  /** Points of one group can be compared with each other: `12` servers. */
  group: string;
  x: Interval;
  y: Interval;
  cell: string;
}

export interface ScatterProps {
  width: number;
  height: number;
  points: readonly ScatterPoint[];
  x: Axis;
  y: Axis;
  /** The group that is drawn large; the others are quiet paths. Without it all points are large. */
  picked?: string | undefined;
  /** Cells of the Pareto front. */
  front: readonly string[];
  onPick?: ((point: ScatterPoint) => void) | undefined;
  label: string;
}

type Placed = ScatterPoint & { at: [x: number, y: number] };
type Box = readonly [x: number, y: number, width: number, height: number];

const overlap = (a: Box, b: Box) =>
  Math.abs(a[0] - b[0]) < (a[2] + b[2]) / 2 && Math.abs(a[1] - b[1]) < (a[3] + b[3]) / 2;

/** An axis on which better is up or right; with neither better, higher is. */
function betterScale(axis: Axis, intervals: Interval[], [worst, best]: [number, number]): Scale {
  const log = axis.log ?? false;
  const ends = axis.domain ?? niceDomain(intervalEnds(intervals, log ? 4 : 2), { floor: axis.floor, log });
  return (log ? logScale : linearScale)(ends, axis.direction === "lower" ? [best, worst] : [worst, best]);
}

/** The steps along the front's points, from axis to axis. */
export function frontPath(points: readonly (readonly [number, number])[], left: number, bottom: number): string {
  const fromRight = [...points].sort((a, b) => b[0] - a[0] || b[1] - a[1]);
  const [first] = fromRight;
  if (!first) return "";
  return `M${px(first[0])},${px(bottom)}${fromRight.map(([x, y]) => `H${px(x)}V${px(y)}`).join("")}H${px(left)}`;
}

export function Scatter({ width, height, points, x, y, picked, front, onPick, label }: ScatterProps) {
  const narrow = width < NARROW;
  const names = [...new Map(points.map((point) => [point.name, point.label ?? point.name]))].map(([name, text]) => ({
    name,
    label: text,
  }));
  const legend = narrow && names.length > 1 ? legendLayout(names, width).height : 0;
  const [left, right, top, bottom] = [narrow ? 38 : 50, width - 22, legend + 30, height - 42];
  const drawable = points.filter(
    (point) =>
      point.x.mean !== null && point.y.mean !== null && (!x.log || point.x.mean > 0) && (!y.log || point.y.mean > 0),
  );
  const scaleX = betterScale(
    x,
    drawable.map((point) => point.x),
    [left, right],
  );
  const scaleY = betterScale(
    y,
    drawable.map((point) => point.y),
    [bottom, top],
  );
  const placed: Placed[] = drawable.map((point) => ({
    ...point,
    at: [scaleX(clamp(point.x.mean ?? 0, scaleX.domain)), scaleY(clamp(point.y.mean ?? 0, scaleY.domain))],
  }));
  const near = placed.filter(({ group }) => picked === undefined || group === picked);
  const far = placed.filter(({ group }) => picked !== undefined && group !== picked);
  const onFront = near.filter(({ cell }) => front.includes(cell));
  const better = `better ${y.direction === "none" ? "" : "↑"}${x.direction === "none" ? "" : "→"}`.replace("↑→", "↗");
  return (
    <Figure width={width} height={height} label={label} interactive={onPick !== undefined}>
      {legend > 0 && <Legend entries={names} width={width} />}
      <ValueTitle axis={{ ...y, direction: "none" }} y={legend + 12} />
      <ValueAxis scale={scaleY} from={left} to={right} />
      <PlaceAxis scale={scaleX} ticks={spaceTicks(scaleX)} y={bottom} />
      <Text x={right} y={height - 4} className="title" anchor="end">
        <tspan className="strong">{x.title}</tspan>
        {x.unit && <tspan dx={5}>{x.unit}</tspan>}
        <tspan className="soft" dx={8}>
          {[x.direction === "lower" && "inverted", x.log && "log scale"].filter(Boolean).join(", ")}
        </tspan>
      </Text>
      {(x.direction !== "none" || y.direction !== "none") && (
        <Text x={right} y={legend + 12} className="note" anchor="end">
          {better}
        </Text>
      )}
      <FarPoints points={far} near={near} />
      {onFront.length > 0 && (
        <path
          className="front"
          d={frontPath(
            onFront.map(({ at }) => at),
            left,
            bottom,
          )}
        />
      )}
      <NearPoints
        points={near}
        scaleX={scaleX}
        scaleY={scaleY}
        right={right}
        top={top}
        bottom={bottom}
        labelled={!narrow}
        onPick={onPick}
      />
    </Figure>
  );
}

/** The other groups: a path for each algorithm, small markers, and the group's name where there is room. */
function FarPoints({ points, near }: { points: readonly Placed[]; near: readonly Placed[] }) {
  const names = [...new Set(points.map(({ name }) => name))];
  const taken: Box[] = near.map(({ at }) => [at[0], at[1], 62, 30]);
  const labels = [...points]
    .sort((a, b) => a.at[1] - b.at[1])
    .filter(({ at, group }) => {
      const box: Box = [at[0], at[1] - 12, textWidth(group, 11) + 4, 13];
      if (taken.some((other) => overlap(box, other))) return false;
      taken.push(box, [at[0], at[1], 7, 7]);
      return true;
    });
  return (
    <>
      {names.map((name) => {
        const own = points.filter((point) => point.name === name);
        const path = [...own, ...near.filter((point) => point.name === name)].sort((a, b) =>
          a.group.localeCompare(b.group, "en", { numeric: true }),
        );
        return (
          <g key={name} data-a={algorithmStyle(name).hue} className="far">
            <path className="path" d={`M${path.map(({ at }) => `${px(at[0])},${px(at[1])}`).join("L")}`} />
            {own.map(({ at, cell }) => (
              <Marker key={cell} name={name} x={at[0]} y={at[1]} r={2.6} />
            ))}
          </g>
        );
      })}
      {labels.map(({ name, group, at, cell }) => (
        <Text key={cell} x={at[0]} y={at[1] - 8} className="label nano" anchor="middle" hue={algorithmStyle(name).hue}>
          {group}
        </Text>
      ))}
    </>
  );
}

interface NearPointsProps {
  points: readonly Placed[];
  scaleX: Scale;
  scaleY: Scale;
  right: number;
  top: number;
  bottom: number;
  labelled: boolean;
  onPick: ScatterProps["onPick"];
}

function NearPoints({ points, scaleX, scaleY, right, top, bottom, labelled, onPick }: NearPointsProps) {
  const side = (point: Placed) => (point.at[0] + 14 + textWidth(point.label ?? point.name) > right ? "end" : "start");
  const labelY = new Map<string, number>();
  for (const anchor of ["start", "end"] as const) {
    const own = points.filter((point) => side(point) === anchor);
    const spread = spreadLabels(
      own.map(({ at }) => at[1] - 2),
      16,
      top + 4,
      bottom - 4,
    );
    own.forEach(({ cell }, i) => {
      labelY.set(cell, spread[i] ?? 0);
    });
  }
  return points.map((point) => {
    const name = point.label ?? point.name;
    const anchor = side(point);
    return (
      <g key={point.cell} data-a={algorithmStyle(point.name).hue} data-cell={point.cell}>
        <IntervalBar interval={point.x} scale={scaleX} at={point.at[1]} thin />
        <IntervalBar interval={point.y} scale={scaleY} at={point.at[0]} vertical thin />
        <Marker name={point.name} x={point.at[0]} y={point.at[1]} r={5.4} />
        {labelled && (
          <Text
            x={point.at[0] + (anchor === "end" ? -11 : 11)}
            y={(labelY.get(point.cell) ?? point.at[1]) - 4}
            className="label halo"
            anchor={anchor}
          >
            {name}
          </Text>
        )}
        {onPick && (
          // biome-ignore lint/a11y/useSemanticElements: an SVG has no <button>
          <circle
            className="hit press"
            role="button"
            tabIndex={0}
            aria-label={`${name}, ${point.group}`}
            cx={px(point.at[0])}
            cy={px(point.at[1])}
            r={12}
            onClick={() => onPick(point)}
            onKeyDown={(event) => event.key === "Enter" && onPick(point)}
          />
        )}
      </g>
    );
  });
}

/** Lines with confidence bands over a numeric axis: how a metric changes with a parameter. */
import { area, line } from "d3-shape";
import { algorithmStyle, dashArray, dashesOfLines } from "./algorithms";
import {
  Figure,
  Legend,
  Line,
  legendLayout,
  Marker,
  PlaceAxis,
  ReferenceLine,
  shorten,
  Text,
  ValueAxis,
  ValueTitle,
} from "./marks";
import { PlacePicker } from "./PlacePicker";
import {
  clamp,
  dataDomain,
  intervalEnds,
  linearScale,
  logScale,
  niceDomain,
  placeTicks,
  px,
  spreadLabels,
  textWidth,
} from "./scales";
import { type Axis, type Interval, NARROW, type Reference } from "./types";

export interface LinePoint extends Interval {
  x: number;
  n: number;
  /** Id of the cell. */
  cell?: string | undefined;
}

export interface LineSeries {
  name: string;
  label?: string | undefined;
  baseline?: boolean | undefined;
  points: readonly LinePoint[];
}

export interface LineBandProps {
  width: number;
  height: number;
  series: readonly LineSeries[];
  x: { title: string; unit?: string | undefined; log: boolean };
  y: Axis;
  /** The chosen x. */
  picked?: number | undefined;
  reference?: Reference | undefined;
  /** Seeds that a cell has when it is complete; points with fewer show their n. */
  planned: number;
  onPick?: ((x: number) => void) | undefined;
  label: string;
}

type Drawn = LinePoint & { mean: number };
const hasMean = (point: LinePoint): point is Drawn => point.mean !== null;

/** The ends of the value axis: a limit that no mean exceeds is its top, and bands beyond are cut. */
export function valueEnds(series: readonly LineSeries[], y: Axis, reference: Reference | undefined): [number, number] {
  if (y.domain) return [y.domain[0], y.domain[1]];
  const points = series.flatMap(({ points }) => points);
  const [low, high] = niceDomain(intervalEnds(points), { floor: y.floor, log: y.log });
  if (!reference || reference.value > 2 * high || reference.value < low) return [low, high];
  const limited = reference.limit && points.every(({ mean }) => mean === null || mean <= reference.value);
  return [low, limited ? reference.value : Math.max(high, reference.value)];
}

export function LineBand({ width, height, series, x, y, picked, reference, planned, onPick, label }: LineBandProps) {
  const narrow = width < NARROW;
  const dashes = dashesOfLines(series.map(({ name }) => name));
  const named = series.map((s, i) => ({
    ...s,
    label: s.label ?? s.name,
    hue: algorithmStyle(s.name).hue,
    dash: dashes[i] ?? 0,
  }));
  const legend = narrow && series.length > 1 ? legendLayout(named, width).height : 0;
  const lead = series.length > 6 ? 16 : 8;
  const labelRoom = Math.min(width * 0.26, Math.max(48, ...named.map((s) => textWidth(s.label)))) + lead + 6;
  const places = [...new Set(series.flatMap(({ points }) => points.map((point) => point.x)))].sort((a, b) => a - b);
  const log = x.log && (places[0] ?? 1) > 0;
  const ends = valueEnds(series, y, reference);

  const left = narrow ? 38 : 50;
  const right = width - (narrow ? 16 : labelRoom);
  const [top, bottom] = [legend + 30, height - 40];
  const scaleX = (log ? logScale : linearScale)(dataDomain(places, log), [left + 8, right - 8]);
  const scaleY = (y.log ? logScale : linearScale)(ends, [bottom, top], bottom - top > 230 ? 5 : 4);
  const atY = (value: number) => px(scaleY(clamp(value, ends)));

  const drawLine = line<LinePoint>(
    ({ x }) => px(scaleX(x)),
    ({ mean }) => atY(mean ?? 0),
  ).defined(hasMean);
  const drawBand = area<LinePoint>(
    ({ x }) => px(scaleX(x)),
    ({ low, mean }) => atY(low ?? mean ?? 0),
    ({ high, mean }) => atY(high ?? mean ?? 0),
  ).defined(hasMean);
  const order = [...named].sort((a, b) => Number(a.baseline ?? false) - Number(b.baseline ?? false));
  const lasts = named.flatMap((s) => {
    const last = s.points
      .filter(hasMean)
      .sort((a, b) => a.x - b.x)
      .at(-1);
    return last ? [{ series: s, x: scaleX(last.x), y: atY(last.mean) }] : [];
  });
  const labelY = spreadLabels(
    lasts.map((last) => last.y),
    17,
    top + 4,
    bottom - 4,
  );
  return (
    <Figure width={width} height={height} label={label} interactive={onPick !== undefined}>
      {legend > 0 && <Legend entries={named} width={width} />}
      <ValueTitle axis={y} y={legend + 12} />
      <ValueAxis scale={scaleY} from={left} to={right} />
      <PlaceAxis scale={scaleX} ticks={placeTicks(places, scaleX, log)} y={bottom} />
      <Text x={right} y={height - 4} className="title" anchor="end">
        {x.title}
        {x.unit && `, ${x.unit}`}
        {log && <tspan className="soft">, log scale</tspan>}
      </Text>
      {reference && <ReferenceLine reference={reference} scale={scaleY} from={left} to={right} />}
      {picked !== undefined && places.includes(picked) && (
        <Line x1={scaleX(picked)} x2={scaleX(picked)} y1={top - 4} y2={bottom} className="cursor" />
      )}
      {order.map((s) => (
        <path key={s.label} data-a={s.hue} className="band" d={drawBand(s.points) ?? ""} />
      ))}
      {order.map((s) => (
        <g key={s.label} data-a={s.hue} data-series={s.name}>
          <path className="ln" d={drawLine(s.points) ?? ""} strokeDasharray={dashArray(s.dash)} />
          {s.points.filter(hasMean).map((point) => (
            <g key={point.x} data-cell={point.cell}>
              <Marker name={s.name} x={scaleX(point.x)} y={atY(point.mean)} r={point.x === picked ? 5.2 : 3.9} />
            </g>
          ))}
        </g>
      ))}
      {named.map((s) =>
        s.points.filter(hasMean).map(
          (point) =>
            point.n < planned && (
              <Text
                key={`${s.label} ${point.x}`}
                x={scaleX(point.x)}
                y={atY(point.mean) - 9}
                className="note halo"
                anchor="middle"
              >
                n = {point.n}
              </Text>
            ),
        ),
      )}
      {!narrow &&
        lasts.map((last, i) => (
          <g key={last.series.label} data-a={last.series.hue}>
            <path
              className="lead"
              d={`M${px(Math.max(right - 2, last.x + 6))},${last.y}L${px(right + lead)},${px(labelY[i] ?? last.y)}`}
            />
            <Text x={right + lead + 4} y={(labelY[i] ?? last.y) + 4} className="label">
              {shorten(last.series.label, labelRoom - lead - 4)}
            </Text>
          </g>
        ))}
      {onPick && (
        <PlacePicker
          places={places}
          scale={scaleX}
          x={x}
          left={left}
          right={right}
          top={top}
          bottom={bottom}
          picked={picked}
          onPick={onPick}
        />
      )}
    </Figure>
  );
}

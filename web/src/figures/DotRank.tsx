/** Ranked dots with intervals: who is best at one place. Brackets join neighbours that are tied. */
import { algorithmStyle } from "./algorithms";
import { Figure, IntervalBar, Line, Marker, shorten, Text } from "./marks";
import { formatInterval } from "./numbers";
import { assignLanes, clamp, intervalEnds, linearScale, niceDomain, px, textWidth } from "./scales";
import type { Axis, Interval } from "./types";

export interface RankRow extends Interval {
  name: string;
  label?: string | undefined;
  /** 1 is best; null without a value. */
  rank?: number | null | undefined;
  tied?: boolean | undefined;
  cell?: string | undefined;
  baseline?: boolean | undefined;
}

export interface DotRankProps {
  width: number;
  /** In the order of their ranks. */
  rows: readonly RankRow[];
  /** First and last index of rows between which no difference was shown. */
  ties: readonly (readonly [number, number])[];
  x: Pick<Axis, "floor" | "domain">;
  rowHeight?: number | undefined;
  onPick?: ((row: RankRow) => void) | undefined;
  label: string;
}

const LANE = 9;

export function DotRank({ width, rows, ties, x, rowHeight = 32, onPick, label }: DotRankProps) {
  const lanes = assignLanes(ties);
  const tieRoom = ties.length > 0 ? 24 + LANE * Math.max(...lanes) : 0;
  const [left, right] = [2, width - Math.max(10, tieRoom + 10)];
  const low = rowHeight * 0.72;
  const height = rows.length * rowHeight + 22;
  const bottom = height - 20;
  const domain = x.domain ?? niceDomain(intervalEnds(rows, 4), { floor: x.floor, count: 4 });
  const scale = linearScale(domain, [left + 5, right - 8], width < 300 ? 3 : 4);
  const dotY = (index: number) => 2 + index * rowHeight + low;
  return (
    <Figure width={width} height={height} label={label} interactive={onPick !== undefined}>
      {scale.ticks.map((tick) => (
        <g key={tick.value}>
          <Line
            x1={scale(tick.value)}
            x2={scale(tick.value)}
            y1={low - 6}
            y2={bottom + 2}
            className={tick.value === 0 ? "base" : "grid"}
          />
          <Text x={scale(tick.value)} y={height - 4} className="tick" anchor="middle">
            {tick.label}
          </Text>
        </g>
      ))}
      {rows.map((row, i) => {
        const y = dotY(i);
        const { value, spread } = formatInterval(row);
        const name = row.label ?? row.name;
        const valueRoom = textWidth(value + spread, 12.5) + 20;
        return (
          <g key={`${row.name}-${row.cell ?? i}`} data-a={algorithmStyle(row.name).hue} data-cell={row.cell}>
            <Line x1={scale(domain[0])} x2={scale(domain[1])} y1={y} y2={y} className="rail" />
            <Text x={left + 6} y={y - 9} className="label halo">
              {shorten(name, right - left - valueRoom - (row.baseline ? 60 : 0))}
              {row.baseline && (
                <tspan className="soft" dx={6}>
                  baseline
                </tspan>
              )}
            </Text>
            <Text x={right - 8} y={y - 9} className="val halo" anchor="end">
              {value}
              {spread && <tspan className="soft">{spread}</tspan>}
              {row.mean === null && <tspan className="soft"> no value</tspan>}
            </Text>
            <IntervalBar interval={row} scale={scale} at={y} />
            {row.mean !== null && <Marker name={row.name} x={scale(clamp(row.mean, domain))} y={y} r={4.8} />}
            {onPick && (
              // biome-ignore lint/a11y/useSemanticElements: an SVG has no <button>
              <rect
                className="hit press"
                role="button"
                tabIndex={0}
                aria-label={`${row.rank ? `${row.rank}. ` : ""}${name}: ${value}${spread}${row.tied ? ", tied" : ""}`}
                x={left}
                y={px(2 + i * rowHeight)}
                width={px(right - left)}
                height={rowHeight}
                onClick={() => onPick(row)}
                onKeyDown={(event) => event.key === "Enter" && onPick(row)}
              />
            )}
          </g>
        );
      })}
      {ties.map(([first, last], i) => {
        const [from, to] = [dotY(first) - 5, dotY(last) + 5];
        const at = right + 4 + LANE * (lanes[i] ?? 0);
        return (
          <g key={`${first}-${last}`} className="ties">
            <path className="tie" d={`M${px(at)},${px(from)}h5v${px(to - from)}h-5`} />
            {i === 0 && (
              <Text x={right + 14 + LANE * Math.max(...lanes)} y={(from + to) / 2 + 4} className="note">
                tie
              </Text>
            )}
          </g>
        );
      })}
    </Figure>
  );
}

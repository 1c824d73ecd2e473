/** Differences from the baseline with their intervals: by how much, and how certain. */
import type { KeyboardEvent } from "react";
import { algorithmStyle } from "./algorithms";
import { forestScale } from "./forestScale";
import { Figure, Line, Marker, shorten, Text } from "./marks";
import { formatRelative, formatRelativeSpan, formatSigned, formatValue } from "./numbers";
import { clamp, px, type Scale, spaceTicks, textWidth } from "./scales";
import type { Direction, Outcome } from "./types";

export interface ForestRow {
  name: string;
  /** The place within the algorithm (`12`); the algorithm's name if it has one row only. */
  label: string;
  /** Ratio to the baseline (1 is equal) or, on the scale "difference", the difference in the unit; null if there is none. */
  value: number | null;
  low: number | null;
  /** Infinity if the interval has no upper end. */
  high: number | null;
  outcome: Outcome | null;
  /** The same value under every seed as the baseline. */
  same?: boolean | undefined;
  /** In place of a value that is missing. */
  note?: string | undefined;
  cell?: string | undefined;
  picked?: boolean | undefined;
}

export interface ForestProps {
  width: number;
  scale: "ratio" | "difference";
  rows: readonly ForestRow[];
  title: string;
  subtitle?: string | undefined;
  unit?: string | undefined;
  direction: Direction;
  /** Relative difference that counts as relevant, e.g. 0.05; on the scale "difference" in the unit. */
  relevance: number | null;
  onPick?: ((row: ForestRow) => void) | undefined;
  label: string;
}

const ROW = 21;
const TOP = 46;
const BOTTOM = 30;

/** Shapes of the outcomes; a colour only repeats them. */
export const outcomePaths: Record<Outcome, string> = {
  better: "M0,-4L4,3H-4Z",
  worse: "M0,4L4,-3H-4Z",
  equivalent: "M-4,-2.6H4V-0.8H-4ZM-4,0.9H4V2.7H-4Z",
  inconclusive: "M-4,-0.9H-1.6V0.9H-4ZM-1.2,-0.9H1.2V0.9H-1.2ZM1.6,-0.9H4V0.9H1.6Z",
  higher: "M0,-4L3.4,0.4H1V4H-1V0.4H-3.4Z",
  lower: "M0,4L3.4,-0.4H1V-4H-1V-0.4H-3.4Z",
};

type ForestEntry = { header: string } | { row: ForestRow };

/** Rows under a header for each algorithm that has several; in the order given. */
export function forestLines(rows: readonly ForestRow[]): ForestEntry[] {
  const grouped = new Set(rows.map(({ name }) => name)).size < rows.length;
  return rows.flatMap((row, i): ForestEntry[] =>
    grouped && row.name !== rows[i - 1]?.name ? [{ header: row.name }, { row }] : [{ row }],
  );
}

export function Forest({
  width,
  scale: kind,
  rows,
  title,
  subtitle,
  unit,
  direction,
  relevance,
  onPick,
  label,
}: ForestProps) {
  const narrow = width < 460;
  const lines = forestLines(rows);
  const grouped = lines.length > rows.length;
  const labelRoom = Math.max(...rows.map((row) => textWidth(row.label, grouped ? 11.5 : 13)), 20);
  const left = Math.min(width * 0.3, labelRoom + (grouped ? 24 : 30));
  const right = width - (narrow ? 92 : 196);
  const height = TOP + BOTTOM + lines.length * ROW;
  const scale = forestScale(kind, rows, [left, right]);
  const neutral = kind === "ratio" ? 1 : 0;
  const zone =
    relevance === null
      ? null
      : [neutral - relevance, neutral + relevance].map((value) => scale(clamp(value, scale.domain)));
  // One stop of the Tab key: arrows move from row to row.
  const stop = rows.find((row) => row.picked) ?? rows[0];
  const words = { higher: ["← worse", "better →"], lower: ["← better", "worse →"], none: ["← lower", "higher →"] }[
    direction
  ];
  return (
    <Figure width={width} height={height} label={label} interactive={onPick !== undefined}>
      <Text x={0} y={12} className="title">
        <tspan className="strong">{title}</tspan>
        {kind === "difference" && unit && <tspan dx={5}>{unit}</tspan>}
        {subtitle && !narrow && (
          <tspan className="soft" dx={6}>
            {subtitle}
          </tspan>
        )}
      </Text>
      {zone && (
        <rect
          className="zone"
          x={px(zone[0] ?? 0)}
          y={TOP - 4}
          width={px((zone[1] ?? 0) - (zone[0] ?? 0))}
          height={px(height - TOP - BOTTOM + 4)}
        />
      )}
      {spaceTicks(scale, neutral).map((tick) => (
        <g key={tick.value}>
          <Line
            x1={scale(tick.value)}
            x2={scale(tick.value)}
            y1={TOP - 4}
            y2={height - BOTTOM}
            className={Math.abs(tick.value - neutral) < 1e-9 ? "one" : "grid"}
          />
          <Text x={scale(tick.value)} y={height - BOTTOM + 16} className="tick" anchor="middle">
            {tick.label}
          </Text>
        </g>
      ))}
      <Text x={scale(neutral) - 8} y={TOP - 12} className="note" anchor="end">
        {words[0]}
      </Text>
      <Text x={scale(neutral) + 8} y={TOP - 12} className="note">
        {words[1]}
      </Text>
      {lines.map((line, i) => {
        const y = TOP + i * ROW + 11;
        if ("header" in line) {
          return (
            <g key={`header ${line.header}`} data-a={algorithmStyle(line.header).hue}>
              <Marker name={line.header} x={6} y={y - 2} r={4.2} />
              <Text x={16} y={y + 2} className="label">
                {line.header}
              </Text>
            </g>
          );
        }
        return (
          <ForestLine
            key={`${line.row.name} ${line.row.label}`}
            row={line.row}
            kind={kind}
            scale={scale}
            y={y}
            width={width}
            left={left}
            right={right}
            narrow={narrow}
            grouped={grouped}
            stop={line.row === stop}
            onPick={onPick}
          />
        );
      })}
    </Figure>
  );
}

interface ForestLineProps {
  row: ForestRow;
  kind: ForestProps["scale"];
  scale: Scale;
  y: number;
  width: number;
  left: number;
  right: number;
  narrow: boolean;
  grouped: boolean;
  /** The row that the Tab key reaches. */
  stop: boolean;
  onPick: ForestProps["onPick"];
}

function ForestLine({ row, kind, scale, y, width, left, right, narrow, grouped, stop, onPick }: ForestLineProps) {
  const hue = algorithmStyle(row.name).hue;
  const { value, outcome } = row;
  const hollow = outcome === "inconclusive";
  const glyphX = width - (narrow ? 12 : 46);
  const focusable = onPick && {
    // Spoken in words when it has the focus, which picks it: there is nothing to press.
    role: "img",
    tabIndex: stop ? 0 : -1,
    "aria-label": saidOf(row, kind),
    onFocus: () => onPick(row),
    onClick: () => onPick(row),
    onKeyDown: moveFocus,
  };
  return (
    <g
      data-a={hue}
      data-cell={row.cell}
      className={`frow${row.picked ? " on" : ""}${hollow ? " dim" : ""}`}
      onPointerEnter={onPick && (() => onPick(row))}
      {...focusable}
    >
      <rect className="hit" x={0} y={px(y - ROW / 2)} width={width} height={ROW} />
      {!grouped && <Marker name={row.name} x={6} y={y} r={4.2} />}
      <Text
        x={grouped ? left - 14 : 16}
        y={y + 4}
        className={grouped ? (row.picked ? "val" : "tick") : "label"}
        anchor={grouped ? "end" : "start"}
      >
        {shorten(row.label, left - 16)}
      </Text>
      {value === null ? (
        <Text x={(left + right) / 2} y={y + 4} className="note halo" anchor="middle">
          {row.note ?? "no value"}
        </Text>
      ) : (
        <>
          {!row.same && <ForestInterval row={row} scale={scale} y={y} />}
          <Marker
            name={row.name}
            x={scale(clamp(value, scale.domain))}
            y={y}
            r={row.picked ? 4.6 : 3.8}
            hollow={hollow}
          />
          <Text
            x={narrow ? glyphX - 14 : right + 66}
            y={y + 4}
            className={row.picked ? "val" : "tick ink"}
            anchor="end"
          >
            {row.same
              ? "same"
              : kind === "ratio"
                ? formatRelative(value)
                : formatSigned(value, row.high === null ? null : row.high - value)}
          </Text>
          {!narrow && !row.same && (
            <Text x={right + 74} y={y + 4} className="note">
              {spanText(row, value, kind)}
            </Text>
          )}
        </>
      )}
      {outcome && (
        <path className={`vg ${outcome}`} transform={`translate(${px(glyphX)},${px(y)})`} d={outcomePaths[outcome]}>
          <title>{outcome}</title>
        </path>
      )}
    </g>
  );
}

/** All that a row shows, in words. */
function saidOf(row: ForestRow, kind: ForestProps["scale"]): string {
  const { name, label, value, high, outcome } = row;
  const shown =
    value === null
      ? (row.note ?? "no value")
      : row.same
        ? "same"
        : kind === "ratio"
          ? formatRelative(value)
          : formatSigned(value, high === null ? null : high - value);
  const span = value === null || row.same ? "" : spanText(row, value, kind);
  return [name === label ? name : `${name} ${label}`, shown, span, outcome].filter(Boolean).join(", ");
}

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };

function moveFocus(event: KeyboardEvent<SVGGElement>): void {
  const step = STEPS[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const rows = [...(event.currentTarget.ownerSVGElement?.querySelectorAll<SVGGElement>(".frow") ?? [])];
  rows[rows.indexOf(event.currentTarget) + step]?.focus();
}

function spanText({ low, high }: ForestRow, value: number, kind: ForestProps["scale"]): string {
  if (low === null || high === null) return "";
  if (kind === "ratio") return formatRelativeSpan(value, low, high);
  return `${formatValue(low, high - value)} to ${formatValue(high, high - value)}`;
}

/** The interval, with an arrow at an end that leaves the axis. */
function ForestInterval({ row, scale, y }: { row: ForestRow; scale: Scale; y: number }) {
  if (row.low === null || row.high === null) return null;
  const [min, max] = scale.domain;
  return (
    <>
      <Line
        x1={scale(clamp(row.low, scale.domain))}
        x2={scale(clamp(row.high, scale.domain))}
        y1={y}
        y2={y}
        className="ci"
      />
      {row.low < min && <path className="arrow" d={`M${px(scale(min) - 4)},${px(y)}l6,-3.5v7Z`} />}
      {row.high > max && <path className="arrow" d={`M${px(scale(max) + 4)},${px(y)}l-6,-3.5v7Z`} />}
    </>
  );
}

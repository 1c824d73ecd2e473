/** Rows against columns, a number in every cell; colour repeats it. */
import type { KeyboardEvent } from "react";
import { algorithmStyle } from "./algorithms";
import {
  cellHalf,
  cellNumber,
  divergingTone,
  type HeatCell,
  type HeatLayout,
  type HeatLine,
  heatLayout,
  lineLabel,
  sequentialTone,
} from "./heatLayout";
import { Figure, Line, Marker, shorten, Text } from "./marks";
import { formatCompact } from "./numbers";
import { clamp, linearScale, px } from "./scales";

export type { HeatCell, HeatLine } from "./heatLayout";

export interface HeatMapProps {
  width: number;
  rows: readonly HeatLine[];
  columns: readonly HeatLine[];
  cells: readonly HeatCell[];
  /** "diverging": percent of a fair share, 100 is neutral; "sequential": any metric from low to high. */
  colours: "diverging" | "sequential";
  title: string;
  subtitle?: string | undefined;
  unit?: string | undefined;
  /** What the ends of the scale mean: `["starved", "takes all"]`. */
  ends?: readonly [string, string] | undefined;
  /** Ends of the sequential scale; by default the least and the largest mean. */
  domain?: readonly [number, number] | undefined;
  /** Steps of the sequential scale are equal in ratio. */
  log?: boolean | undefined;
  picked?: { row: string; column: string } | undefined;
  onPick?: ((cell: HeatCell) => void) | undefined;
  label: string;
}

/** Ends of whiskers of shares, in percent. */
const SHARES = [0, 200] as const;
const TONES = { diverging: 9, sequential: 7 };

export function HeatMap({
  width,
  rows,
  columns,
  cells,
  colours,
  title,
  subtitle,
  unit,
  ends,
  domain,
  log = false,
  picked,
  onPick,
  label,
}: HeatMapProps) {
  const layout = heatLayout(width, rows, columns, cells);
  const means = cells.flatMap(({ mean }) => (mean === null ? [] : [mean]));
  const spread = domain ?? ([Math.min(...means), Math.max(...means)] as const);
  const tone = (mean: number) => (colours === "diverging" ? divergingTone(mean) : sequentialTone(mean, spread, log));
  const byPlace = new Map(cells.map((cell) => [`${cell.row}\n${cell.column}`, cell]));
  const at = (row: number, column: number) => ({
    x: layout.left + column * layout.cellWidth,
    y: layout.top + row * layout.cellHeight,
  });
  return (
    <Figure
      width={layout.width}
      height={layout.height}
      label={label}
      interactive={onPick !== undefined}
      className={layout.width > width ? "wide" : undefined}
    >
      <Text x={layout.slanted ? 0 : layout.left} y={12} className="title">
        <tspan className="strong">{title}</tspan>
        {unit && <tspan dx={5}>{unit}</tspan>}
        {subtitle && width >= 480 && (
          <tspan className="soft" dx={6}>
            {subtitle}
          </tspan>
        )}
      </Text>
      {columns.map((column, i) => (
        <ColumnLabel key={column.key} line={column} x={at(0, i).x} layout={layout} />
      ))}
      {rows.flatMap((row, i) =>
        columns.map((column, j) => {
          const cell = byPlace.get(`${row.key}\n${column.key}`);
          const place = at(i, j);
          const key = `${row.key} ${column.key}`;
          if (!cell || cell.mean === null) return <EmptyCell key={key} {...place} layout={layout} />;
          const name = `${lineLabel(row)} against ${lineLabel(column)}`;
          const on = picked?.row === row.key && picked.column === column.key;
          return (
            <Cell
              key={key}
              {...place}
              cell={cell}
              mean={cell.mean}
              name={name}
              tone={tone(cell.mean)}
              whisker={colours === "diverging" && layout.showWhisker}
              unit={unit}
              layout={layout}
              on={on}
              onPick={onPick}
            />
          );
        }),
      )}
      <g className="row-labels">
        {layout.width > width && (
          <rect
            className="behind"
            x={-2}
            y={layout.top - 1}
            width={px(layout.left + 1)}
            height={px(rows.length * layout.cellHeight + 2)}
          />
        )}
        {rows.map((row, i) => (
          <RowLabel
            key={row.key}
            line={row}
            y={at(i, 0).y + layout.cellHeight / 2}
            layout={layout}
            small={width < 480}
          />
        ))}
      </g>
      <ToneLegend
        layout={layout}
        colours={colours}
        ends={
          ends ?? (colours === "sequential" ? [formatCompact(spread[0]), formatCompact(spread[1])] : ["0 %", "200 %"])
        }
      />
    </Figure>
  );
}

function ColumnLabel({ line, x, layout }: { line: HeatLine; x: number; layout: HeatLayout }) {
  const { top, cellWidth, slanted } = layout;
  const marker = line.algorithm !== undefined;
  const hue = line.algorithm === undefined ? undefined : algorithmStyle(line.algorithm).hue;
  if (!slanted) {
    return (
      <g data-a={hue}>
        {line.algorithm !== undefined && <Marker name={line.algorithm} x={x + 8} y={top - 16} r={4.4} />}
        <Text x={x + (marker ? 18 : 4)} y={top - 12} className="label">
          {lineLabel(line)}
        </Text>
      </g>
    );
  }
  const [startX, startY] = [x + cellWidth / 2, top - 10];
  return (
    <g data-a={hue}>
      {line.algorithm !== undefined && <Marker name={line.algorithm} x={startX} y={startY} r={4} />}
      <Text
        x={startX + (marker ? 10 : 0)}
        y={startY + 4}
        className="label small"
        transform={`rotate(-50 ${px(startX)} ${px(startY)})`}
      >
        {shorten(lineLabel(line), 140, 11.5)}
      </Text>
    </g>
  );
}

function RowLabel({ line, y, layout, small }: { line: HeatLine; y: number; layout: HeatLayout; small: boolean }) {
  const size = small || layout.cellHeight < 30 ? "label small" : "label";
  const start = line.algorithm === undefined ? 0 : 18;
  return (
    <g data-a={line.algorithm === undefined ? undefined : algorithmStyle(line.algorithm).hue}>
      {line.algorithm !== undefined && <Marker name={line.algorithm} x={7} y={y} r={small ? 4 : 4.4} />}
      <Text x={start} y={y + 4} className={size}>
        {shorten(lineLabel(line), layout.left - start - 4, small ? 11.5 : 13)}
      </Text>
    </g>
  );
}

/** No value: a hairline and hatching. */
function EmptyCell({ x, y, layout }: { x: number; y: number; layout: HeatLayout }) {
  const [width, height] = [layout.cellWidth - 3, layout.cellHeight - 3];
  const [left, top] = [x + 1.5, y + 1.5];
  const lines = [];
  for (let offset = 8; offset < width + height; offset += 8) {
    const from = { x: left + Math.min(offset, width), y: top + Math.max(0, offset - width) };
    const to = { x: left + Math.max(0, offset - height), y: top + Math.min(offset, height) };
    lines.push(`M${px(from.x)},${px(from.y)}L${px(to.x)},${px(to.y)}`);
  }
  return (
    <g className="missing">
      <title>no value</title>
      <path className="hatch" d={lines.join("")} />
      <rect className="empty" x={px(left)} y={px(top)} width={px(width)} height={px(height)} rx={3} />
    </g>
  );
}

interface CellProps {
  x: number;
  y: number;
  cell: HeatCell;
  mean: number;
  name: string;
  tone: string;
  /** Draw the interval on a scale from 0 to 200 %, with a tick at 100. */
  whisker: boolean;
  unit: string | undefined;
  layout: HeatLayout;
  on: boolean;
  onPick: HeatMapProps["onPick"];
}

function Cell({ x, y, cell, mean, name, tone, whisker, unit, layout, on, onPick }: CellProps) {
  const { cellWidth, cellHeight, font, showHalf, compact } = layout;
  const half = cell.half !== null && cell.half > 0 ? cell.half : null;
  const centre = x + cellWidth / 2;
  const lines = (showHalf && half !== null ? 1 : 0) + (whisker ? 0.5 : 0);
  const numberY = y + cellHeight / 2 + font * 0.36 - lines * 6;
  const whiskerY = y + cellHeight - (cellHeight > 44 ? 9 : 6);
  const scale = linearScale(SHARES, [x + cellWidth * 0.14, x + cellWidth * 0.86]);
  const press = onPick && {
    role: "button",
    tabIndex: 0,
    onClick: () => onPick(cell),
    onKeyDown: (event: KeyboardEvent) => event.key === "Enter" && onPick(cell),
  };
  const number = cellNumber(mean, half, compact);
  // what is seen is part of what is said
  const said = [`${name}:`, number, half !== null && cellHalf(half), unit].filter(Boolean).join(" ");
  return (
    <g className={on ? "cell on" : "cell"} data-tone={tone} data-cell={cell.cell} aria-label={press && said} {...press}>
      {!press && <title>{said}</title>}
      <rect x={px(x + 1)} y={px(y + 1)} width={px(cellWidth - 2)} height={px(cellHeight - 2)} rx={3} />
      <Text x={centre} y={numberY} className="number" anchor="middle" style={{ fontSize: font }}>
        {number}
      </Text>
      {showHalf && half !== null && (
        <Text x={centre} y={numberY + 16} className="note" anchor="middle">
          {cellHalf(half)}
        </Text>
      )}
      {whisker && cell.low !== null && cell.high !== null && (
        <>
          <Line
            x1={scale(clamp(cell.low, SHARES))}
            x2={scale(clamp(cell.high, SHARES))}
            y1={whiskerY}
            y2={whiskerY}
            className="whisker"
          />
          <Line x1={scale(100)} x2={scale(100)} y1={whiskerY - 4} y2={whiskerY + 4} className="middle" />
        </>
      )}
    </g>
  );
}

function ToneLegend({
  layout,
  colours,
  ends,
}: {
  layout: HeatLayout;
  colours: HeatMapProps["colours"];
  ends: readonly [string, string];
}) {
  const count = TONES[colours];
  const [width, y] = [Math.min(28, 200 / count), layout.height - 14];
  const start = layout.left;
  return (
    <g className="tones">
      <Text x={start - 8} y={y + 8} className="note" anchor="end">
        {ends[0]}
      </Text>
      {Array.from({ length: count }, (_, i) => `${colours === "diverging" ? "d" : "q"}${i}`).map((tone, i) => (
        <rect
          key={tone}
          data-tone={tone}
          className="swatch"
          x={px(start + i * width)}
          y={y}
          width={px(width)}
          height={9}
        />
      ))}
      <Text x={start + count * width + 8} y={y + 8} className="note">
        {ends[1]}
      </Text>
    </g>
  );
}

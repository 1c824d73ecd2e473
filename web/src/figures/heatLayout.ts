/** Sizes, tones and texts of a heat map's cells. */
import { decimalsFor, fixed, formatCompact, formatValue } from "./numbers";
import { px, textWidth } from "./scales";

export interface HeatCell {
  /** Keys of its row and column. */
  row: string;
  column: string;
  mean: number | null;
  half: number | null;
  low: number | null;
  high: number | null;
  cell?: string | undefined;
}

export interface HeatLine {
  key: string;
  label?: string | undefined;
  /** The algorithm whose hue and marker the label has. */
  algorithm?: string | undefined;
}

export interface HeatLayout {
  left: number;
  top: number;
  cellWidth: number;
  cellHeight: number;
  width: number;
  height: number;
  /** Column labels stand at a slant. */
  slanted: boolean;
  font: number;
  showHalf: boolean;
  showWhisker: boolean;
  compact: boolean;
}

/** Cells are no smaller than this, so that numbers remain legible; beyond it the figure is wider than asked for. */
const LEAST_WIDTH = 28;
const LEAST_HEIGHT = 24;
const MOST_WIDTH = 168;

export const lineLabel = ({ key, label }: HeatLine): string => label ?? key;

export function heatLayout(
  width: number,
  rows: readonly HeatLine[],
  columns: readonly HeatLine[],
  cells: readonly HeatCell[],
): HeatLayout {
  const narrow = width < 480;
  const room = (line: HeatLine) => textWidth(lineLabel(line), narrow ? 11.5 : 13) + (line.algorithm ? 28 : 12);
  const left = Math.min(Math.max(56, ...rows.map(room)), width * 0.28);
  const widthIn = (room: number) => Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, room / Math.max(1, columns.length)));
  const widest = Math.max(...columns.map(room), 0);
  const slanted = widest > widthIn(width - left - 2);
  const beyond = (cell: number) =>
    slanted
      ? Math.max(
          2,
          ...columns.map((column, i) => Math.min(room(column), 150) * 0.64 - (columns.length - i - 0.5) * cell),
        )
      : 2;
  const cellWidth = widthIn(width - left - beyond(widthIn(width - left - 2)));
  const cellHeight = Math.min(cellWidth, 92, Math.max(LEAST_HEIGHT, cellWidth * 0.82));
  const top = slanted ? 30 + Math.min(widest, 150) * 0.77 : 58;
  const { font, compact } = numberFont(cells, cellWidth);
  return {
    left,
    top,
    cellWidth,
    cellHeight,
    width: Math.max(width, left + columns.length * cellWidth + beyond(cellWidth)),
    height: top + rows.length * cellHeight + 34,
    slanted,
    font,
    compact,
    showHalf: cellWidth >= 62 && cellHeight >= 52,
    showWhisker: cellWidth >= 40 && cellHeight >= 34,
  };
}

/** The largest size at which all numbers fit into their cells; shortened to `12.3k` if none does. */
function numberFont(cells: readonly HeatCell[], cellWidth: number): { font: number; compact: boolean } {
  const longest = (compact: boolean) =>
    Math.max(1, ...cells.map((cell) => (cell.mean === null ? 0 : cellNumber(cell.mean, cell.half, compact).length)));
  for (const compact of [false, true]) {
    const font = Math.min(19, (cellWidth - 6) / (longest(compact) * 0.6));
    if (font >= 11) return { font: px(font), compact };
  }
  return { font: 11, compact: true };
}

/** The number in a cell: no more than one decimal from 10 on. */
export function cellNumber(mean: number, half: number | null, compact: boolean): string {
  if (compact) return formatCompact(mean);
  const decimals = decimalsFor(mean, half);
  return fixed(mean, Math.min(decimals, Math.abs(mean) >= 100 ? 0 : Math.abs(mean) >= 10 ? 1 : 3));
}

export const cellHalf = (half: number): string => `± ${formatValue(half, half)}`;

const DIVERGING_ENDS = [25, 50, 75, 92.5, 107.5, 125, 150, 175];

/** Step of the diverging scale for a share in percent: 100 is paper. */
export function divergingTone(percent: number): string {
  const step = DIVERGING_ENDS.findIndex((end) => (end > 100 ? percent <= end : percent < end));
  return `d${step < 0 ? DIVERGING_ENDS.length : step}`;
}

/** Step of the sequential scale: seven between the ends, equal in value or, on a log scale, in ratio. */
export function sequentialTone(value: number, [low, high]: readonly [number, number], log = false): string {
  if (high <= low) return "q3";
  const share = log && low > 0 ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  return `q${Math.max(0, Math.min(6, Math.floor(7 * share + 1e-9)))}`;
}

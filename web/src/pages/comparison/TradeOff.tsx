import type { ComparedCell, Comparison, MetricInfo } from "../../api/client";
import { Forest, type ForestRow } from "../../figures/Forest";
import { Scatter } from "../../figures/Scatter";
import { FigureFrame } from "../../ui/FigureFrame";
import { isOtherBaseline } from "./baseline";
import { cellsTable, differencesTable } from "./figureTables";
import { interval, isNonNegative, type Model, restLabel, settingFits } from "./model";
import { scatterCommand } from "./plotCommand";
import { unitOf } from "./units";

interface Props {
  comparison: Comparison;
  model: Model;
  onPick: (label: string) => void;
}

/** The two metrics of the trade-off: the server's pair where it has one, else none. */
function pair(comparison: Comparison): [MetricInfo, MetricInfo] | null {
  const names = comparison.pareto[0]?.metrics;
  const [first, second] = (names ?? []).map((name) => comparison.metrics.find((metric) => metric.name === name));
  return first && second ? [first, second] : null;
}

/** Throughput against delay, with the cells that no other dominates. */
export function TradeOffFigure({ comparison, model, onPick }: Props) {
  const metrics = pair(comparison);
  if (!metrics) return null;
  const [vertical, horizontal] = metrics;
  const fronts = comparison.pareto.filter((candidate) => settingFits(candidate.setting, model));
  const front = fronts.length === 1 ? fronts[0] : undefined;
  const axis = (metric: MetricInfo) => ({
    title: metric.title,
    unit: unitOf(metric),
    direction: metric.direction,
    floor: isNonNegative(model.cells, metric.name) ? (0 as const) : null,
  });
  const xName = model.x?.name;
  return (
    <FigureFrame
      file={`${comparison.campaign.slice(0, 10)}-${vertical.name}-${horizontal.name}`}
      table={cellsTable(model.cells, model.axes, [vertical.name, horizontal.name])}
      command={scatterCommand(comparison, model, vertical, horizontal)}
      caption={
        model.x
          ? "Each path is one algorithm along the x axis; large marks are the chosen place, the dotted line its Pareto front."
          : "Means with 95 % intervals; the dotted line is the Pareto front."
      }
    >
      {(width) => (
        <Scatter
          width={width}
          height={width < 500 ? 300 : 470}
          x={axis(horizontal)}
          y={axis(vertical)}
          points={model.groups.flatMap((group) =>
            group.cells.flatMap((cell) => {
              const [x, y] = [interval(cell.metrics[horizontal.name]), interval(cell.metrics[vertical.name])];
              if (!x || !y) return [];
              const place = xName ? cell.coordinates[xName] : undefined;
              return [{ name: group.name, label: group.label, group: place ?? "", x, y, cell: String(cell.index) }];
            }),
          )}
          front={front?.cells.map(String) ?? []}
          picked={model.at ?? undefined}
          onPick={(point) => point.group !== "" && onPick(point.group)}
          label={`${vertical.title} over ${horizontal.title}`}
        />
      )}
    </FigureFrame>
  );
}

/** Differences to the baseline with their intervals and verdicts. */
export function ForestFigure({ comparison, model, onPick }: Props) {
  const name = model.metric.name;
  const cells = model.cells.filter((cell) => cell.metrics[name]?.against_baseline);
  if (cells.length === 0) return null;
  const relative = cells.some((cell) => cell.metrics[name]?.against_baseline?.relative_mean != null);
  const rows = model.groups.flatMap((group) =>
    group.cells
      .filter((cell) => cells.includes(cell))
      .map((cell) => forestRow(cell, model, group.name, group.label, relative)),
  );
  const baseline = comparison.against?.name ?? Object.values(comparison.baseline).join(" / ");
  const paired = cells.every((cell) => cell.metrics[name]?.against_baseline?.paired);
  return (
    <FigureFrame
      file={`${comparison.campaign.slice(0, 10)}-${name}-differences`}
      table={differencesTable(cells, model.axes, name)}
      caption={
        isOtherBaseline(comparison)
          ? "Grey zone: differences below the relevance threshold. Arrows leave the axis. Intervals are not adjusted."
          : "Hollow: inconclusive. Grey zone: differences that count as equivalent. Arrows leave the axis. Verdicts are adjusted for the family, intervals are not."
      }
    >
      {(width) => (
        <Forest
          width={width}
          scale={relative ? "ratio" : "difference"}
          rows={rows}
          title={`${model.metric.title}, ${relative ? "ratio" : "difference"} to ${baseline}`}
          subtitle={paired ? "paired by seed, 95 % intervals" : "95 % intervals"}
          unit={unitOf(model.metric)}
          direction={model.metric.direction}
          relevance={relevanceZone(model.metric, relative)}
          onPick={(row) => {
            const place = cells.find((cell) => String(cell.index) === row.cell)?.coordinates[model.x?.name ?? ""];
            if (place !== undefined) onPick(place);
          }}
          label={`differences of ${model.metric.title} to ${baseline}`}
        />
      )}
    </FigureFrame>
  );
}

function forestRow(cell: ComparedCell, model: Model, name: string, label: string, relative: boolean): ForestRow {
  const { against_baseline: difference, verdict } = cell.metrics[model.metric.name] ?? {};
  const ends = relative ? difference?.relative_ci95 : difference?.ci95;
  const mean = relative ? difference?.relative_mean : difference?.mean;
  const shift = relative ? 1 : 0;
  const place = model.x ? cell.coordinates[model.x.name] : undefined;
  return {
    name,
    label: restLabel(cell, model) || label,
    value: mean == null ? null : mean + shift,
    low: ends ? ends[0] + shift : null,
    high: ends ? ends[1] + shift : null,
    outcome: verdict?.outcome ?? null,
    same: difference?.mean === 0 && difference.half_width === 0,
    note: mean == null ? "no ratio" : undefined,
    cell: String(cell.index),
    picked: place !== undefined && place === model.at,
  };
}

/** The relevance threshold as the forest's zone: `5 %` of a ratio, or a threshold in the metric's unit. */
export function relevanceZone(metric: MetricInfo, relative: boolean): number | null {
  const [, digits, unit] = /^([\d.]+)\s*(.*)$/.exec(metric.relevance) ?? [];
  if (digits === undefined) return null;
  return relative === (unit === "%") ? Number(digits) / (relative ? 100 : 1) : null;
}

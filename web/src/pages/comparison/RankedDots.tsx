import type { ComparedCell, Comparison, MetricInfo } from "../../api/client";
import { DotRank, type RankRow } from "../../figures/DotRank";
import { useWidth } from "../../ui/useWidth";
import { interval, isNonNegative, type Model, rankingAt } from "./model";
import { unitOf } from "./units";

/** Runs of rows that share a rank, as first and last row. */
export function tieSpans(
  rows: readonly { rank?: number | null | undefined; tied?: boolean | undefined }[],
): [number, number][] {
  const spans: [number, number][] = [];
  rows.forEach((row, index) => {
    const last = spans.at(-1);
    if (row.rank == null || !row.tied) return;
    if (last && last[1] === index - 1 && rows[index - 1]?.rank === row.rank) last[1] = index;
    else spans.push([index, index]);
  });
  return spans.filter(([first, end]) => end > first);
}

/** The rows of a ranked dot plot: in the server's order where it ranks these cells, else by mean. */
export function rankRows(
  comparison: Comparison,
  model: Model,
  metric: MetricInfo,
): { rows: RankRow[]; ties: [number, number][] } {
  const here = model.x ? model.cells.filter((cell) => cell.coordinates[model.x?.name ?? ""] === model.at) : model.cells;
  const ranking = rankingAt(comparison, { ...model, metric });
  const place = new Map(ranking?.places.map((item) => [item.cell, item]));
  const byIndex = new Map(here.map((cell) => [cell.index, cell]));
  const ranked = (ranking?.places ?? []).map((item) => byIndex.get(item.cell)).filter((cell) => cell !== undefined);
  const sign = metric.direction === "lower" ? 1 : -1;
  const mean = (cell: ComparedCell) => cell.metrics[metric.name]?.estimate?.mean ?? sign * Number.POSITIVE_INFINITY;
  const unranked = here.filter((cell) => !place.has(cell.index)).sort((a, b) => sign * (mean(a) - mean(b)));
  const ordered = [...ranked, ...unranked];
  const groupOf = new Map(model.groups.flatMap((group) => group.cells.map((cell) => [cell.index, group] as const)));
  const rows = ordered.map((cell): RankRow => {
    const group = groupOf.get(cell.index);
    const value = interval(cell.metrics[metric.name]) ?? { mean: null, low: null, high: null, n: 0 };
    const where = place.get(cell.index);
    return {
      name: group?.name ?? "",
      label: group?.label,
      ...value,
      rank: where?.rank ?? null,
      tied: where?.tied ?? false,
      cell: String(cell.index),
      baseline: cell.is_baseline,
    };
  });
  return { rows, ties: tieSpans(rows) };
}

export function RankedDots({ rows, label }: { rows: RankRow[]; label: string }) {
  const [box, width] = useWidth<HTMLDivElement>(320);
  return (
    <div ref={box}>
      <DotRank width={width} rows={rows} ties={tieSpans(rows)} x={{ floor: 0 }} label={label} />
    </div>
  );
}

/** Who is best at the picked place: the metric, and two others that it may cost. */
export function RankSide({ comparison, model }: { comparison: Comparison; model: Model }) {
  const [box, width] = useWidth<HTMLDivElement>(340);
  const metrics = [model.metric, ...model.columns.slice(0, 2)];
  return (
    <div ref={box}>
      <h2 className="ft-h">
        {model.x ? (
          <>
            At {model.x.title} {model.at}
          </>
        ) : (
          "Ranked"
        )}{" "}
        <small>{rankingAt(comparison, model) ? "best first" : "by mean"}</small>
      </h2>
      <div className="mini">
        {metrics.map((metric) => {
          const { rows, ties } = rankRows(comparison, model, metric);
          const notes = [unitOf(metric), metric.direction === "none" ? "" : `${metric.direction} is better`];
          return (
            <div key={metric.name}>
              <h3>
                {metric.title}
                <span>{notes.filter(Boolean).join(", ")}</span>
              </h3>
              <DotRank
                width={width}
                rows={rows}
                ties={ties}
                x={{ floor: isNonNegative(model.cells, metric.name) ? 0 : null }}
                label={`${metric.title}, ranked`}
              />
            </div>
          );
        })}
      </div>
      <figcaption>
        Dots are means, bars 95 % intervals. A bracket joins neighbours with no significant difference.
      </figcaption>
    </div>
  );
}

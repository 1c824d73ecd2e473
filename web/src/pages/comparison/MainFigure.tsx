import type { CellMetric, ComparedCell, Comparison } from "../../api/client";
import { DotRank } from "../../figures/DotRank";
import { HeatMap } from "../../figures/HeatMap";
import { LineBand, type LineSeries } from "../../figures/LineBand";
import { FigureFrame } from "../../ui/FigureFrame";
import { type Axis, isAlgorithmAxis } from "./axes";
import { Distributions } from "./Distributions";
import { cellsTable, seedsTable } from "./figureTables";
import { interval, isNonNegative, type Model } from "./model";
import { coexistenceCommand, figureCommand } from "./plotCommand";
import { RankedDots, rankRows } from "./RankedDots";
import { SeedsFigure } from "./SeedsFigure";
import { unitOf } from "./units";

interface Props {
  comparison: Comparison;
  model: Model;
  field: string | undefined;
  onPick: (label: string) => void;
  onField: (field: string | undefined) => void;
}

/** The figure that the data call for, or the chosen one; one for each label of the facet axis. */
export function MainFigure(props: Props) {
  const { comparison, model } = props;
  if (model.chart === "coexistence") return <CoexistenceFigures comparison={comparison} axes={model.axes} />;
  if (model.chart === "cdf") return <Distributions {...props} />;
  const { facet } = model;
  if (!facet) return <OneFigure {...props} title={undefined} />;
  return (
    <div className="figs many">
      {facet.labels
        .map((label) => ({ label, model: withinFacet(model, facet, label) }))
        .filter((part) => part.model.cells.length > 0)
        .map((part) => (
          <OneFigure key={part.label} {...props} model={part.model} title={`${facet.title} ${part.label}`} />
        ))}
    </div>
  );
}

function withinFacet(model: Model, facet: Axis, label: string): Model {
  const inside = (cell: ComparedCell) => cell.coordinates[facet.name] === label;
  const groups = model.groups.map((group) => ({ ...group, cells: group.cells.filter(inside) }));
  return {
    ...model,
    cells: model.cells.filter(inside),
    groups: groups.filter((group) => group.cells.length > 0),
    chosen: new Map([...model.chosen, [facet.name, [label]]]),
  };
}

function OneFigure({ comparison, model, title, onPick }: Props & { title: string | undefined }) {
  const { metric } = model;
  const file = [comparison.campaign.slice(0, 10), metric.name, title]
    .filter(Boolean)
    .join("-")
    .replaceAll(/[^\w.-]+/g, "-");
  const floor = isNonNegative(model.cells, metric.name) ? 0 : null;
  const name = `${metric.title}${model.x ? ` against ${model.x.title}` : ""}`;
  const command = figureCommand(comparison, model);
  const planned = Math.max(...model.cells.map((cell) => cell.planned), 0);
  if (model.chart === "seeds") {
    return (
      <FigureFrame drawing={false} file={file} title={title} table={seedsTable(model.cells, model.axes, metric.name)}>
        {(width) => <SeedsFigure model={model} width={width} />}
      </FigureFrame>
    );
  }
  if (model.chart === "heat") {
    const [rows, columns] = heatAxes(model);
    return (
      <FigureFrame
        file={file}
        title={title}
        table={cellsTable(model.cells, model.axes, [metric.name])}
        command={command}
        caption={`${meansOf(planned)}; ± is half a 95 % interval. A hatched cell has no value.`}
      >
        {(width) => (
          <HeatMap
            width={width}
            colours="sequential"
            rows={heatLines(rows)}
            columns={heatLines(columns)}
            title={columns.title}
            subtitle={`across, ${rows.title} down`}
            unit={unitOf(metric)}
            cells={model.cells.map((cell) => ({
              row: cell.coordinates[rows.name] ?? "",
              column: cell.coordinates[columns.name] ?? "",
              ...heatValue(cell.metrics[metric.name]?.estimate),
              cell: String(cell.index),
            }))}
            label={`${metric.title} by ${rows.title} and ${columns.title}`}
          />
        )}
      </FigureFrame>
    );
  }
  if (model.chart === "dots" || !model.x?.numbers) {
    const { rows, ties } = rankRows(comparison, model, metric);
    return (
      <FigureFrame
        file={file}
        title={title}
        table={cellsTable(model.cells, model.axes, [metric.name])}
        command={command}
        caption="Dots are means, bars 95 % intervals. A bracket joins cells with no significant difference."
      >
        {(width) => <DotRank width={width} rows={rows} ties={ties} x={{ floor }} label={`cells by ${metric.title}`} />}
      </FigureFrame>
    );
  }
  const numbers = model.x.numbers;
  const byNumber = new Map([...numbers].map(([label, value]) => [value, label]));
  return (
    <FigureFrame
      file={file}
      title={title}
      table={cellsTable(model.cells, model.axes, [metric.name])}
      command={command}
      caption={`${meansOf(planned)}; bands are 95 % intervals${floor === 0 ? ", cut at zero" : ""}. Point at a place to see it in every figure.`}
    >
      {(width) => (
        <LineBand
          width={width}
          height={width < 560 ? 300 : 452}
          series={lines(model, numbers)}
          x={{ title: model.x?.title ?? "", unit: model.x?.unit, log: model.log }}
          y={{ title: metric.title, unit: unitOf(metric), direction: metric.direction, floor }}
          picked={model.at === null ? undefined : numbers.get(model.at)}
          planned={planned}
          onPick={(value) => {
            const label = byNumber.get(value);
            if (label !== undefined) onPick(label);
          }}
          label={`${name}, with 95 % bands; the table below has the numbers`}
        />
      )}
    </FigureFrame>
  );
}

const meansOf = (seeds: number) => (seeds === 1 ? "Values of one seed" : `Means of ${seeds} seeds`);

function lines(model: Model, numbers: ReadonlyMap<string, number>): LineSeries[] {
  return model.groups.map((group) => ({
    name: group.name,
    label: group.label,
    baseline: group.baseline,
    points: group.cells
      .map((cell) => ({
        x: numbers.get(cell.coordinates[model.x?.name ?? ""] ?? "") ?? Number.NaN,
        ...(interval(cell.metrics[model.metric.name]) ?? { mean: null, low: null, high: null, n: 0 }),
        cell: String(cell.index),
      }))
      .sort((a, b) => a.x - b.x),
  }));
}

const algorithmLine = (name: string) => ({ key: name, algorithm: name });

const heatLines = (axis: Axis) =>
  axis.labels.map((label) => (isAlgorithmAxis(axis) ? algorithmLine(label) : { key: label }));

/** No half-width where it is a rounding error of the mean. */
function visibleHalf(estimate: CellMetric["estimate"] | undefined): number | null {
  const half = estimate?.half_width ?? null;
  return half !== null && half > 1e-9 * Math.abs(estimate?.mean ?? 0) ? half : null;
}

function heatValue(estimate: CellMetric["estimate"] | undefined) {
  return {
    mean: estimate?.mean ?? null,
    half: visibleHalf(estimate),
    low: estimate?.ci95?.[0] ?? null,
    high: estimate?.ci95?.[1] ?? null,
  };
}

/** Rows and columns of a heat map: the first other axis, and x. */
function heatAxes(model: Model): [Axis, Axis] {
  const several = model.axes.filter((axis) => axis.labels.length > 1 && axis !== model.facet);
  const columns = model.x ?? several[1] ?? (several[0] as Axis);
  return [several.find((axis) => axis !== columns) ?? columns, columns];
}

function CoexistenceFigures({ comparison, axes }: { comparison: Comparison; axes: readonly Axis[] }) {
  return (
    <div className="stack">
      {comparison.coexistence.map((matrix) => {
        const setting = Object.entries(matrix.setting)
          .map(([axis, label]) => `${axis} ${label}`)
          .join(", ");
        return (
          <div key={setting} className="figs wide-and-side">
            <FigureFrame
              file={`${comparison.campaign.slice(0, 10)}-coexistence`}
              title={setting || undefined}
              table={{
                columns: ["algorithm", "against", "share %", "low", "high", "n"],
                rows: matrix.shares.map((share) => [
                  share.algorithm,
                  share.against,
                  share.estimate?.mean ?? null,
                  share.estimate?.ci95?.[0] ?? null,
                  share.estimate?.ci95?.[1] ?? null,
                  share.estimate?.n ?? 0,
                ]),
              }}
              command={coexistenceCommand(comparison, matrix.setting, axes)}
              caption="Share of its max-min fair rate that the row's flow gets against the column's, in percent: 100 is fair, below 100 it is starved."
            >
              {(width) => (
                <HeatMap
                  width={width}
                  colours="diverging"
                  rows={matrix.algorithms.map(algorithmLine)}
                  columns={matrix.algorithms.map(algorithmLine)}
                  title="against"
                  subtitle="the flow that it shares the bottleneck with"
                  unit="%"
                  ends={["starved", "takes all"]}
                  cells={matrix.shares.map((share) => ({
                    row: share.algorithm,
                    column: share.against,
                    ...heatValue(share.estimate),
                  }))}
                  label="share of the max-min fair rate that the row's flow gets against the column's"
                />
              )}
            </FigureFrame>
            <div>
              <h2 className="ft-h">
                What it leaves to its rival <small>least first</small>
              </h2>
              <RankedDots
                rows={matrix.contentiousness.map((place) => ({
                  name: place.algorithm,
                  mean: place.left_to_others.mean,
                  low: place.left_to_others.ci95?.[0] ?? null,
                  high: place.left_to_others.ci95?.[1] ?? null,
                  n: place.left_to_others.n,
                  rank: place.rank,
                  tied: place.tied,
                }))}
                label="mean share of their fair rate that an algorithm leaves to the others, in percent"
              />
            </div>
          </div>
        );
      })}
    </div>
  );
}

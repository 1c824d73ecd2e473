import type { ReactNode } from "react";
import type { ComparedCell, Comparison } from "../../api/client";
import { AlgorithmTag } from "../../figures/marks";
import { formatInterval } from "../../figures/numbers";
import { Chip } from "../../ui/verdicts";
import { axesOf, isAlgorithmAxis } from "./axes";
import { interval, type Model, rankingAt } from "./model";
import { unitOf } from "./units";

/** A sentence of the server, with algorithms as their marks and what is in parentheses in a quieter voice. */
export function Sentence({ children, names }: { children: string; names: readonly string[] }) {
  const known = new Set(names);
  const pattern = new RegExp(
    `(\\([^()]*\\)|${
      [...names]
        .sort((a, b) => b.length - a.length)
        .map(escapePattern)
        .join("|") || "(?!)"
    })`,
  );
  let offset = 0;
  const parts: ReactNode[] = children.split(pattern).map((part) => {
    const key = offset;
    offset += part.length;
    if (known.has(part)) return <AlgorithmTag key={key} name={part} />;
    if (part.startsWith("(") && part.endsWith(")")) {
      return (
        <span key={key} className="sure">
          {part.slice(1, -1)}
        </span>
      );
    }
    return part;
  });
  return <>{parts}</>;
}

const escapePattern = (text: string): string => `(?<![\\w-])${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w-])`;

/** Names of algorithms in a comparison. */
export function algorithmNames(comparison: Comparison): string[] {
  return axesOf(comparison.axes, comparison.cells)
    .filter((axis) => isAlgorithmAxis(axis))
    .flatMap((axis) => axis.labels);
}

/** The server's sentence on what the page shows. */
function headlineOf(comparison: Comparison, model: Model): string | undefined {
  return (model.chart === "coexistence" && comparison.headlines.coexistence) || comparison.headlines[model.metric.name];
}

/** The answer as a sentence, and what it costs in the other metrics. */
export function VerdictSection({ comparison, model }: { comparison: Comparison; model: Model }) {
  const names = algorithmNames(comparison);
  const headline = headlineOf(comparison, model);
  return (
    <section className="verdict" aria-label="Verdict">
      <p className="say" data-testid="headline">
        {headline ? (
          <Sentence names={names}>{headline}</Sentence>
        ) : (
          `No conclusion on ${model.metric.title}: see the figures and the table.`
        )}
      </p>
      <Costs comparison={comparison} model={model} />
      {comparison.summary.length > 0 && (
        <details>
          <summary className="quiet">
            {comparison.summary.length === 1
              ? "In one sentence"
              : `All ${comparison.summary.length} rankings as sentences`}
          </summary>
          <ul className="say-more" data-testid="summary">
            {comparison.summary.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

/** The other metrics of the first cell of the server's ranking, beside its baseline's. */
function Costs({ comparison, model }: { comparison: Comparison; model: Model }) {
  const first = rankingAt(comparison, model)?.places[0]?.cell;
  const leader = model.cells.find((cell) => cell.index === first && !cell.is_baseline);
  const baseline = leader && baselineOf(model.cells, leader, comparison);
  if (!leader || !baseline) return null;
  const group = model.groups.find((candidate) => candidate.cells.includes(leader));
  const place = model.x && model.at !== null ? ` at ${model.x.title} ${model.at}` : "";
  return (
    <dl className="costs">
      {model.columns.slice(0, 3).map((column) => {
        const value = interval(leader.metrics[column.name]);
        const reference = interval(baseline.metrics[column.name]);
        if (!value || !reference) return null;
        const verdict = leader.metrics[column.name]?.verdict;
        return (
          <div className="cost" key={column.name}>
            <dt>
              {column.title} of {group?.label}
              {place}
            </dt>
            <dd>
              <b>{formatInterval(value).value}</b> <span>{unitOf(column)}</span>{" "}
              <i>against {formatInterval(reference).value}</i>{" "}
              {verdict && <Chip label={verdict.label} title={verdict.reason} />}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** The baseline cell that differs from this cell in the baseline's axes only. */
export function baselineOf(
  cells: readonly ComparedCell[],
  cell: ComparedCell,
  comparison: Comparison,
): ComparedCell | undefined {
  const wanted = { ...cell.coordinates, ...comparison.baseline };
  return cells.find(
    (other) => other.is_baseline && comparison.axes.every((axis) => other.coordinates[axis] === wanted[axis]),
  );
}

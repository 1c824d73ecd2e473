import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Comparison } from "../../api/client";
import { distributionsQuery } from "../../api/queries";
import { Cdf } from "../../figures/Cdf";
import { FigureFrame } from "../../ui/FigureFrame";
import { ErrorNote, Nothing, Skeleton } from "../../ui/states";
import { cdfCaption, cdfTitle } from "./distributionTexts";
import { type Model, restLabel } from "./model";
import { cdfCommand } from "./plotCommand";

const MAX_CELLS = 12;

/** Cumulative distribution of a quantity over flows, or of the packet delay over packets, pooled over seeds. */
export function Distributions({
  comparison,
  model,
  field,
  onField,
}: {
  comparison: Comparison;
  model: Model;
  field: string | undefined;
  /** Undefined: the usual one. */
  onField: (field: string | undefined) => void;
}) {
  const here =
    model.x && model.cells.length > MAX_CELLS
      ? model.cells.filter((cell) => cell.coordinates[model.x?.name ?? ""] === model.at)
      : model.cells;
  const cells = [...here].sort((a, b) => Number(b.is_baseline) - Number(a.is_baseline)).slice(0, MAX_CELLS);
  const query = useQuery({
    ...distributionsQuery(
      comparison.campaign,
      field,
      cells.map((cell) => cell.index),
    ),
    placeholderData: keepPreviousData,
  });
  const usual = (
    <p>
      <button type="button" className="btn small" onClick={() => onField(undefined)}>
        Show the usual quantity
      </button>
    </p>
  );
  if (query.error) return <ErrorNote error={query.error}>{field && usual}</ErrorNote>;
  if (!query.data) return <Skeleton />;
  const { data } = query;
  const label = (index: number) => {
    const cell = model.cells.find((candidate) => candidate.index === index);
    const group = model.groups.find((candidate) => candidate.cells.some((member) => member.index === index));
    const several = group !== undefined && cells.filter((member) => group.cells.includes(member)).length > 1;
    const parts = [group?.label, several && cell && restLabel(cell, model)];
    return { name: group?.name ?? "", label: parts.filter(Boolean).join(" ") };
  };
  const drawn = data.cells.filter((cell) => cell.points.length > 0);
  if (drawn.length === 0)
    return (
      <Nothing title={data.of === "packets" ? "No packet has a delay." : "No flow has a value."}>
        {field && usual}
      </Nothing>
    );
  return (
    <FigureFrame
      file={`${comparison.campaign.slice(0, 10)}-cdf-${data.field}`}
      title={
        <span className="row">
          {cdfTitle(data)}
          <select
            className="select"
            aria-label="Quantity"
            value={data.field}
            onChange={(event) => onField(event.currentTarget.value)}
          >
            {data.available.map((choice) => (
              <option key={choice.name} value={choice.name}>
                {choice.title}
                {choice.unit ? `, ${choice.unit}` : ""}
              </option>
            ))}
          </select>
        </span>
      }
      table={{
        columns: ["cell", data.field, "cumulative fraction"],
        rows: drawn.flatMap((cell) =>
          cell.points.map((point): (string | number | null)[] => [
            label(cell.cell).label,
            point[0] ?? null,
            point[1] ?? null,
          ]),
        ),
      }}
      command={cdfCommand(comparison, model, data.field, here.length < model.cells.length)}
      caption={`${here.length > cells.length ? `${cells.length} of ${here.length} cells: filter to see others. ` : ""}${cdfCaption(data, (cell) => label(cell).label)}`}
    >
      {(width) => (
        <Cdf
          width={width}
          height={width < 560 ? 300 : 452}
          series={drawn.map((cell) => ({
            ...label(cell.cell),
            points: cell.points.map(([value = 0, fraction = 0]) => [value, fraction] as const),
          }))}
          x={{
            title: data.title,
            unit: data.unit,
            log: spansDecades(drawn.flatMap((cell) => cell.points.map((point) => point[0] ?? 0))),
          }}
          label={`cumulative distribution of ${data.title} over ${data.of}`}
        />
      )}
    </FigureFrame>
  );
}

/** Whether positive values spread so far that a log axis shows them better. */
function spansDecades(values: readonly number[]): boolean {
  const least = values.reduce((low, value) => Math.min(low, value), Number.POSITIVE_INFINITY);
  const most = values.reduce((high, value) => Math.max(high, value), 0);
  return least > 0 && most / least > 100;
}

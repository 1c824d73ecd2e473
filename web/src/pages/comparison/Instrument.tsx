import { useState } from "react";
import type { Comparison } from "../../api/client";
import { Controls, type Option, Pick } from "../../ui/Controls";
import { Dialog } from "../../ui/Dialog";
import { baselineAxis, baselineOptions, baselineValue, toBaseline } from "./baseline";
import { type ComparisonView, type Model, toWhere } from "./model";

const CHART_NAMES: Record<Model["chart"], string> = {
  line: "line with bands",
  dots: "ranked dots",
  heat: "heat map",
  coexistence: "coexistence",
  cdf: "CDF over flows or packets",
  seeds: "every seed",
};

interface Props {
  comparison: Comparison;
  model: Model;
  view: ComparisonView;
  onChange: (change: Partial<Record<keyof ComparisonView, unknown>>) => void;
}

/** The baseline of the differences; another campaign that takes its place is not chosen here. */
function BaselineChoice({ comparison, model, onChange }: Omit<Props, "view">) {
  const axis = comparison.against ? undefined : baselineAxis(comparison, model.axes);
  if (!axis) {
    return (
      <div className="ctl end">
        <span>Baseline</span>
        <b>{comparison.against?.name ?? (Object.values(comparison.baseline).join(" / ") || "none")}</b>
      </div>
    );
  }
  return (
    <Pick
      label="Baseline"
      end
      value={baselineValue(comparison, axis)}
      options={baselineOptions(comparison, axis)}
      // What is shown by default follows from the verdicts, which another baseline does not have.
      onChange={(option) =>
        onChange({
          baseline: toBaseline(option, comparison, axis),
          metric: model.metric.name,
          at: model.at ?? undefined,
        })
      }
    />
  );
}

/** What is shown, and how: one bar over the figures. */
export function Instrument({ comparison, model, view, onChange }: Props) {
  const [dialog, setDialog] = useState<"filter" | "columns" | null>(null);
  const several = model.axes.filter((axis) => axis.labels.length > 1);
  const axisOptions: Option[] = several.map((axis) => ({ value: axis.name, label: axis.title }));
  const filters = toWhere(model.chosen).length;
  return (
    <Controls label="View">
      <Pick
        label="Metric"
        value={model.metric.name}
        options={metricOptions(comparison)}
        onChange={(metric) => onChange({ metric })}
      />
      <Pick
        label="Figure"
        value={model.chart}
        options={model.charts.map((kind) => ({ value: kind, label: CHART_NAMES[kind] }))}
        onChange={(chart) => onChange({ chart })}
      />
      <Pick
        label="x axis"
        value={model.x?.name ?? "none"}
        options={[...axisOptions, { value: "none", label: "none" }]}
        onChange={(x) => onChange({ x, at: undefined, scale: undefined })}
      />
      {model.x?.numbers && model.chart === "line" && (
        <Pick
          label="Scale"
          value={model.log ? "log" : "linear"}
          options={["linear", "log"]}
          onChange={(scale) => onChange({ scale })}
        />
      )}
      <Pick
        label="Facets"
        value={model.facet?.name ?? "none"}
        options={[{ value: "none", label: "none" }, ...axisOptions.filter((option) => option.value !== model.x?.name)]}
        onChange={(facet) => onChange({ facet })}
      />
      <button type="button" className="ctl" onClick={() => setDialog("filter")}>
        <span>Filter</span>
        <b>{filters === 0 ? "all cells" : `${model.cells.length} of ${comparison.cells.length} cells`}</b>
      </button>
      <button type="button" className="ctl" onClick={() => setDialog("columns")}>
        <span>Columns</span>
        <b>{model.columns.length} more</b>
      </button>
      <BaselineChoice comparison={comparison} model={model} onChange={onChange} />
      {dialog === "filter" && (
        <Dialog title="Show these cells" onClose={() => setDialog(null)}>
          {several.map((axis) => (
            <fieldset key={axis.name} className="choices">
              <legend>{axis.title}</legend>
              {axis.labels.map((label) => {
                const chosen = model.chosen.get(axis.name);
                const checked = !chosen || chosen.includes(label);
                return (
                  <label key={label}>
                    <input
                      type="checkbox"
                      checked={checked}
                      onChange={() => {
                        const before = chosen ?? axis.labels;
                        const after = checked
                          ? before.filter((other) => other !== label)
                          : axis.labels.filter((other) => other === label || before.includes(other));
                        const next = new Map(model.chosen);
                        if (after.length === axis.labels.length || after.length === 0) next.delete(axis.name);
                        else next.set(axis.name, after);
                        const where = toWhere(next);
                        onChange({ where: where.length > 0 ? where : undefined });
                      }}
                    />
                    {label}
                  </label>
                );
              })}
            </fieldset>
          ))}
          <p className="quiet">A filter changes no verdict: the family of comparisons was fixed at submission.</p>
          <div className="acts">
            <button type="button" className="btn" onClick={() => onChange({ where: undefined })}>
              Show all
            </button>
            <button type="button" className="btn main" onClick={() => setDialog(null)}>
              Done
            </button>
          </div>
        </Dialog>
      )}
      {dialog === "columns" && (
        <Dialog title="Columns of the table" onClose={() => setDialog(null)}>
          <fieldset className="choices tall">
            <legend className="sr">Metrics</legend>
            {comparison.available.map((metric) => {
              const shown = (view.columns ?? comparison.default_metrics) as string[];
              const checked = shown.includes(metric.name);
              return (
                <label key={metric.name} title={metric.definition}>
                  <input
                    type="checkbox"
                    checked={checked}
                    onChange={() =>
                      onChange({
                        columns: checked ? shown.filter((name) => name !== metric.name) : [...shown, metric.name],
                      })
                    }
                  />
                  {metric.title} <small className="quiet">{metric.unit}</small>
                </label>
              );
            })}
          </fieldset>
          <div className="acts">
            <button type="button" className="btn" onClick={() => onChange({ columns: undefined })}>
              Default columns
            </button>
            <button type="button" className="btn main" onClick={() => setDialog(null)}>
              Done
            </button>
          </div>
        </Dialog>
      )}
    </Controls>
  );
}

/** Default metrics first, then the others by group. */
function metricOptions(comparison: Comparison): Option[] {
  const rank = (name: string) => {
    const place = comparison.default_metrics.indexOf(name);
    return place < 0 ? comparison.default_metrics.length : place;
  };
  return [...comparison.available]
    .sort((a, b) => rank(a.name) - rank(b.name) || a.group.localeCompare(b.group))
    .map((metric) => ({ value: metric.name, label: metric.title }));
}

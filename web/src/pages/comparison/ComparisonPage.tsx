import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { startTransition, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import type { Comparison } from "../../api/client";
import { type ComparisonOptions, campaignQuery, comparisonQuery } from "../../api/queries";
import type { Rejected } from "../../app/search";
import { useTitle } from "../../app/title";
import { Command } from "../../ui/Copy";
import { ErrorNote, Nothing, RejectedNote, Waiting } from "../../ui/states";
import { axesOf } from "./axes";
import { baselineArguments, isOtherBaseline, refusedBaseline } from "./baseline";
import { CellsTable } from "./CellsTable";
import { DifferencesSection } from "./Differences";
import { Instrument } from "./Instrument";
import { MainFigure } from "./MainFigure";
import { buildModel, type ComparisonView, unknownParts } from "./model";
import { RankSide } from "./RankedDots";
import { nextSort, parseSort } from "./sorting";
import { ForestFigure, TradeOffFigure } from "./TradeOff";
import { VerdictSection } from "./VerdictSection";

const route = getRouteApi("/campaigns/$campaignId/comparison");

/** Why the baseline in the address is refused, if it is: asked once, and not again while the campaign goes on. */
function useRefusedBaseline(campaignId: string, options: ComparisonOptions): string | undefined {
  const [refusals, setRefusals] = useState<Record<string, string>>({});
  const baseline = options.baseline?.join("\n") ?? "";
  const known = refusals[baseline];
  const query = useQuery({ ...comparisonQuery(campaignId, [], options), enabled: known === undefined });
  const refusal = refusedBaseline(query.error);
  useEffect(() => {
    if (refusal !== undefined) setRefusals((all) => ({ ...all, [baseline]: refusal }));
  }, [baseline, refusal]);
  return known ?? refusal;
}

/** The comparison of a campaign: who wins, by how much, how surely, what it costs; and every cell. */
export function ComparisonPage() {
  const { campaignId } = route.useParams();
  const { rejected, ...view } = route.useSearch() as ComparisonView & Rejected;
  const navigate = route.useNavigate();
  const campaign = useQuery(campaignQuery(campaignId));
  const wanted = { against: view.against, baseline: view.baseline, incomplete: view.incomplete };
  const refused = useRefusedBaseline(campaignId, wanted);
  const options = refused ? { ...wanted, baseline: undefined } : wanted;
  const first = useQuery(comparisonQuery(campaignId, [], options));
  const asked = askedMetrics(first.data, view);
  const second = useQuery({ ...comparisonQuery(campaignId, asked, options), enabled: asked.length > 0 });
  const comparison = asked.length > 0 ? (second.data ?? first.data) : first.data;
  useTitle(campaign.data?.name, "comparison");
  const change = useCallback(
    (part: Partial<Record<keyof ComparisonView, unknown>>) =>
      void navigate({
        search: (old) => ({ ...old, rejected: undefined, ...part }) as never,
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  const error = first.error ?? second.error;
  if (!comparison) {
    return (
      <>
        <Waiting error={error} />
        {error && (view.against || view.incomplete) && (
          <button type="button" className="btn" onClick={() => void navigate({ search: {}, replace: true })}>
            Compare with its own baseline instead
          </button>
        )}
      </>
    );
  }
  const unknown = unknownParts(view, comparison, axesOf(comparison.axes, comparison.cells));
  const unused = [...(refused ? [`baseline: ${refused}`] : []), ...unknown];
  const anyResult = comparison.cells.some((cell) => cell.finished > 0);
  return (
    <>
      <RejectedNote rejected={rejected} more={unused} onClear={() => void navigate({ search: {}, replace: true })} />
      {error && <ErrorNote error={error} />}
      {anyResult ? (
        <Loaded comparison={comparison} view={view} onChange={change} ended={campaign.data?.ended ?? true} />
      ) : (
        <Nothing title="No result yet.">
          {campaign.data?.ended
            ? "No run succeeded: there is nothing to compare."
            : "The comparison appears when the first run has ended."}
        </Nothing>
      )}
    </>
  );
}

/** The metrics to ask for, if the view shows others than the default ones. */
function askedMetrics(first: Comparison | undefined, view: ComparisonView): string[] {
  if (!first) return [];
  const known = new Set(first.available.map((metric) => metric.name));
  const wanted = [...(view.columns ?? first.default_metrics), ...(view.metric ? [view.metric] : [])].filter((name) =>
    known.has(name),
  );
  return wanted.every((name) => first.default_metrics.includes(name))
    ? []
    : [...new Set([...first.default_metrics, ...wanted])];
}

interface LoadedProps {
  comparison: Comparison;
  view: ComparisonView;
  ended: boolean;
  onChange: (part: Partial<Record<keyof ComparisonView, unknown>>) => void;
}

function Loaded({ comparison, view, ended, onChange }: LoadedProps) {
  const [at, pick] = usePlace(view.at, onChange);
  const model = useMemo(
    () => buildModel(comparison, at === undefined ? view : { ...view, at }),
    [comparison, view, at],
  );
  if (!model) return <Nothing title="No run reports a metric." />;
  return (
    <div data-testid="comparison">
      {comparison.against && <DifferencesSection against={comparison.against} campaign={comparison.campaign} />}
      <VerdictSection comparison={comparison} model={model} />
      {!ended && <p className="note running">So far: runs are under way, and verdicts may change.</p>}
      {isOtherBaseline(comparison) && <OtherBaselineNote comparison={comparison} onChange={onChange} />}
      <Instrument comparison={comparison} model={model} view={view} onChange={onChange} />
      {model.cells.length === 0 ? (
        <Nothing title="No cell matches.">
          {comparison.cells.length} are hidden by the filter.{" "}
          <button type="button" className="link" onClick={() => onChange({ where: undefined })}>
            Clear it
          </button>
        </Nothing>
      ) : (
        <>
          <div className={model.chart === "line" && !model.facet ? "figs wide-and-side" : "figs"}>
            <MainFigure
              comparison={comparison}
              model={model}
              field={view.field}
              onPick={pick}
              onField={(field) => onChange({ field })}
            />
            {model.chart === "line" && !model.facet && <RankSide comparison={comparison} model={model} />}
          </div>
          <div className="figs halves">
            <TradeOffFigure comparison={comparison} model={model} onPick={pick} />
            <ForestFigure comparison={comparison} model={model} onPick={pick} />
          </div>
          <EveryCell comparison={comparison} view={view} onChange={onChange} model={model} onPick={pick} />
        </>
      )}
      <Notes comparison={comparison} />
    </div>
  );
}

function OtherBaselineNote({ comparison, onChange }: Pick<LoadedProps, "comparison" | "onChange">) {
  const declared = Object.values(comparison.declared_baseline).join(" / ");
  return (
    <p className="note" role="status" data-testid="other-baseline">
      Differences are to <b>{Object.values(comparison.baseline).join(" / ")}</b>, with 95 % intervals that are not
      adjusted.{" "}
      {declared
        ? `Verdicts hold for the declared baseline ${declared} only.`
        : "There are no verdicts: the campaign file declares no baseline."}{" "}
      <button type="button" className="link no-print" onClick={() => onChange({ baseline: undefined })}>
        {declared ? `Compare with ${declared}` : "Without a baseline"}
      </button>
    </p>
  );
}

const COMMIT_MS = 500;

/**
 * The picked place of the x axis. Pointing moves it at once; the address follows when the pointer rests, since
 * browsers limit how often it may change.
 */
function usePlace(
  shown: string | undefined,
  onChange: LoadedProps["onChange"],
): [string | undefined, (at: string) => void] {
  const [at, setAt] = useState(shown);
  useEffect(() => setAt(shown), [shown]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const pick = useCallback(
    (place: string) => {
      startTransition(() => setAt(place));
      clearTimeout(timer.current);
      timer.current = setTimeout(() => onChange({ at: place }), COMMIT_MS);
    },
    [onChange],
  );
  return [at, pick];
}

function EveryCell({
  comparison,
  model,
  view,
  onChange,
  onPick,
}: Omit<LoadedProps, "ended"> & {
  model: NonNullable<ReturnType<typeof buildModel>>;
  onPick: (label: string) => void;
}) {
  const [typed, setTyped] = useState(view.find ?? "");
  const find = useDeferredValue(typed.trim().toLowerCase());
  const rows = useMemo(() => {
    if (!find) return model.cells;
    return model.cells.filter((cell) => Object.values(cell.coordinates).join(" ").toLowerCase().includes(find));
  }, [model.cells, find]);
  const sort = parseSort(view.sort);
  return (
    <section className="sheet">
      <div className="row spread">
        <h2>
          Every cell{" "}
          <small>
            {rows.length === comparison.cells.length
              ? `${rows.length}`
              : `${rows.length} of ${comparison.cells.length}`}{" "}
            cells; means ± half a 95 % interval
          </small>
        </h2>
        <input
          className="input no-print"
          placeholder="Find cells"
          aria-label="Find cells"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onBlur={() => onChange({ find: typed.trim() || undefined })}
        />
      </div>
      <CellsTable
        comparison={comparison}
        model={model}
        rows={rows}
        sort={sort}
        onSort={(key) => onChange({ sort: nextSort(sort, key) })}
        onPick={onPick}
      />
    </section>
  );
}

function Notes({ comparison }: { comparison: Comparison }) {
  const { family } = comparison;
  return (
    <footer className="foot">
      <ul data-testid="notes">
        {family.size > 0 && (
          <li>
            Family: {family.comparisons} comparisons × {family.metrics.length}{" "}
            {family.metrics.length === 1 ? "metric" : "metrics"} ({family.metrics.join(", ")}), fixed at submission.
          </li>
        )}
        {comparison.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
      <Command>{`windtunnel compare ${comparison.campaign.slice(0, 10)}${comparison.against ? ` --against ${comparison.against.campaign.slice(0, 10)}` : ""}${baselineArguments(comparison)}`}</Command>
    </footer>
  );
}

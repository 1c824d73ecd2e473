import { useMemo, useState } from "react";
import { fixed } from "../../figures/numbers";
import { Controls, Pick } from "../../ui/Controls";
import { ErrorNote, Nothing, Skeleton } from "../../ui/states";
import { MetricsSection } from "./MetricsSection";
import { labelOf, placeOf, warmUpOf } from "./naming";
import { Outcome } from "./Outcome";
import { RunAgain } from "./RunAgain";
import { SeriesDialog } from "./SeriesDialog";
import { SignalFigure } from "./SignalFigure";
import { defaultSeries, probeTitle, splitSeries, visibleRange, wholeRange } from "./signalModel";
import { useChange } from "./useChange";
import { type RunView, route, type Sibling } from "./useRunView";
import { useSignals } from "./useSignals";

/** What happened over simulated time, and the metrics, beside another run of the same seed. */
export function SignalsTab({ view }: { view: RunView }) {
  if (view.run.state !== "succeeded")
    return <Nothing title="No results yet.">Signals and metrics are there once the run has succeeded.</Nothing>;
  return (
    <>
      <Outcome view={view} />
      <SignalSection view={view} />
      <MetricsSection view={view} />
      <RunAgain run={view.run} />
    </>
  );
}

function SignalSection({ view }: { view: RunView }) {
  const { run, over } = view;
  const search = route.useSearch();
  const change = useChange();
  const [choosing, setChoosing] = useState(false);
  const names = useMemo(() => {
    const known = new Set(run.series.map(({ name }) => name));
    const asked = search.series?.filter((name) => known.has(name)) ?? [];
    return asked.length > 0 ? asked : defaultSeries(run.series);
  }, [run.series, search.series]);
  const whole = wholeRange(run);
  const range = useMemo(() => visibleRange(wholeRange(run), search.from, search.to), [run, search.from, search.to]);
  const zoomed = range[0] > whole[0] || range[1] < whole[1];
  const signals = useSignals(view, over, names, zoomed ? range : null);
  const onZoom = (next: readonly [number, number] | null) =>
    change(
      next ? { from: Number(next[0].toFixed(6)), to: Number(next[1].toFixed(6)) } : { from: undefined, to: undefined },
    );
  if (run.series.length === 0) return <NoSeries view={view} />;
  return (
    <>
      <Controls label="Signals">
        <Pick
          label="Laid over it"
          value={overValue(view, search.over)}
          options={overOptions(view)}
          onChange={(over) => change({ over: over === "" ? undefined : over })}
        />
        <button type="button" className="ctl press" onClick={() => setChoosing(true)}>
          <span>Signals</span>
          <b>{summaryOf(names)}</b>
        </button>
        <div className="ctl">
          <span>Time</span>
          <b>
            {fixed(range[0], zoomed ? 2 : 0)} to {fixed(range[1], zoomed ? 2 : Number.isInteger(range[1]) ? 0 : 2)} s{" "}
            {zoomed && (
              <button type="button" className="link" onClick={() => onZoom(null)}>
                show all
              </button>
            )}
          </b>
        </div>
      </Controls>
      {signals.error && <ErrorNote error={signals.error} />}
      {signals.pending && signals.runs[0]?.loaded.length === 0 ? (
        <Skeleton />
      ) : (
        <SignalFigure
          view={view}
          signals={signals}
          names={names}
          range={range}
          warmUp={warmUpOf(run)}
          onZoom={onZoom}
        />
      )}
      {choosing && (
        <SeriesDialog
          series={run.series}
          chosen={names}
          onChange={(series) => change({ series })}
          onClose={() => setChoosing(false)}
        />
      )}
    </>
  );
}

function NoSeries({ view }: { view: RunView }) {
  return (
    <p className="note">
      {view.run.series_pruned_at ? (
        <>
          <b>The series of this run were pruned.</b> <code>windtunnel simulate --run {view.run.id.slice(0, 12)}</code>{" "}
          computes them again.
        </>
      ) : (
        <>
          <b>No series were recorded.</b> Ask for them in the campaign file:{" "}
          <code>series: [&#123;probe: cwnd, at: flows&#125;, &#123;probe: queue_length, at: bottleneck&#125;]</code>
        </>
      )}
    </p>
  );
}

const summaryOf = (names: readonly string[]): string => {
  const probes = [...new Set(names.map((name) => probeTitle(splitSeries(name).probe)))];
  return probes.length > 4 ? `${probes.slice(0, 3).join(", ")} and ${probes.length - 3} more` : probes.join(", ");
};

function overValue(view: RunView, over: string | undefined): string {
  return over ?? (view.baseline ? "" : "none");
}

function overOptions(view: RunView): { value: string; label: string }[] {
  const { siblings, baseline, run, axes } = view;
  const label = ({ id, coordinates }: Sibling) =>
    [labelOf(coordinates, axes), placeOf(coordinates, axes)].filter(Boolean).join(", ") || id.slice(0, 10);
  const others = (siblings?.runs ?? []).filter(
    (other) => other.id !== run.id && other.id !== baseline?.run.id && other.state === "succeeded",
  );
  return [
    ...(baseline ? [{ value: "", label: `${baseline.name}, baseline` }] : []),
    { value: "none", label: "nothing" },
    ...others.map((sibling) => ({ value: sibling.id, label: label(sibling) })),
  ];
}

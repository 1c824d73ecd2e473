import { useCallback, useMemo, useRef, useState } from "react";
import { formatValue } from "../../figures/numbers";
import { SignalStack, type SignalStackProps } from "../../figures/SignalStack";
import { FigureFrame, type NumberTable } from "../../ui/FigureFrame";
import { seriesCommand } from "../comparison/plotCommand";
import { RunTag } from "./RunTag";
import { panelsOf, wholeRange } from "./signalModel";
import type { RunView } from "./useRunView";
import type { Signals } from "./useSignals";

interface Props {
  view: RunView;
  signals: Signals;
  names: readonly string[];
  range: readonly [number, number];
  warmUp: number;
  onZoom: (range: readonly [number, number] | null) => void;
}

/** The chosen signals on one time axis, this run strong, the one laid over thin. */
export function SignalFigure({ view, signals, names, range, warmUp, onZoom }: Props) {
  const panels = useMemo(() => panelsOf(signals.runs, names), [signals.runs, names]);
  const table = useMemo(() => tableOf(signals.runs, range), [signals.runs, range]);
  const several = panels.some(
    (panel) => panel.kind === "lines" && panel.lines.some(({ overlay, second }) => !overlay && second),
  );
  const { run, over } = view;
  const campaign = view.siblings?.campaign;
  const [start, end] = wholeRange(run);
  const zoomed = range[0] > start || range[1] < end;
  return (
    <FigureFrame
      file={`run-${run.id.slice(0, 10)}-signals`}
      table={table}
      command={campaign && seriesCommand(campaign, run.id.slice(0, 12), names, zoomed ? range : null)}
      caption={
        <>
          {several && "Of an algorithm, the strong line is the first, the lighter ones the others. "}
          {over && (
            <>
              Thin lines are <RunTag name={over.name} />, seed {over.run.seed_index}
              {over.run.schedule && over.run.schedule === run.schedule ? ", on the same traffic" : ""}.{" "}
            </>
          )}
          {signals.bucketed &&
            "At most 2,000 points a line, the least and the largest of each stretch; zooming in shows more. "}
          Drag to zoom, double-click to see all; with the keyboard: arrows, + and Escape.
        </>
      }
    >
      {(width) => (
        <PointedStack
          width={width}
          panels={panels}
          range={range}
          warmUp={warmUp > 0 ? warmUp : undefined}
          onZoom={onZoom}
          label={`${panels.map(({ title }) => title).join(", ")} over simulated time, ${formatValue(range[0])} to ${formatValue(range[1])} s`}
        />
      )}
    </FigureFrame>
  );
}

/** Keeps the time under the pointer, so that pointing draws only the stack again, at most once a frame. */
function PointedStack(props: Omit<SignalStackProps, "crosshair" | "onHover">) {
  const [crosshair, setCrosshair] = useState<number | null>(null);
  const frame = useRef(0);
  const onHover = useCallback((time: number | null) => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => setCrosshair(time));
  }, []);
  return <SignalStack {...props} crosshair={crosshair} onHover={onHover} />;
}

/** One row a sample of the visible range. */
function tableOf(runs: Signals["runs"], [from, to]: readonly [number, number]): NumberTable {
  const rows = runs.flatMap(({ run, name, loaded }) =>
    loaded.flatMap(({ info, values }) =>
      values.times_ns.flatMap((time, i) => {
        const seconds = time / 1e9;
        return seconds < from || seconds > to
          ? []
          : [[run.id.slice(0, 12), name, info.name, info.unit, seconds, values.values[i] ?? null]];
      }),
    ),
  );
  return { columns: ["run", "algorithm", "series", "unit", "time_s", "value"], rows };
}

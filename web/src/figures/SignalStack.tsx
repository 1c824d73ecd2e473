/** Signals of a run over one time axis: congestion windows, queue, drops. Another run can be laid over, thin. */
import { useId } from "react";
import { Figure, Line, Text } from "./marks";
import { EventPanelView, LinePanelView } from "./SignalPanels";
import { linearScale, px, textWidth } from "./scales";
import type { Signal } from "./signals";
import { TimePicker } from "./TimePicker";
import { NARROW, type Reference } from "./types";

export interface SignalLine extends Signal {
  name: string;
  label?: string | undefined;
  /** Of the run laid over. */
  overlay?: boolean | undefined;
  /** The second line of its run: lighter. */
  second?: boolean | undefined;
}

export interface LinePanel {
  kind: "lines";
  title: string;
  unit?: string | undefined;
  lines: readonly SignalLine[];
  height?: number | undefined;
  /** Values hold until the next sample. */
  step?: boolean | undefined;
  /** Fill below the lines of the run itself. */
  area?: boolean | undefined;
  reference?: Reference | undefined;
  /** Top of the axis; by default the largest value of the whole run. */
  max?: number | undefined;
}

export interface EventRow {
  name: string;
  label?: string | undefined;
  times: ArrayLike<number>;
  /** Number of events if one time can stand for several. */
  total?: number | undefined;
  overlay?: boolean | undefined;
}

export interface EventPanel {
  kind: "events";
  title: string;
  unit?: string | undefined;
  rows: readonly EventRow[];
}

export type SignalPanel = LinePanel | EventPanel;

export interface SignalStackProps {
  width: number;
  panels: readonly SignalPanel[];
  /** Visible simulated time, in seconds. */
  range: readonly [number, number];
  /** Before this time nothing is measured. */
  warmUp?: number | undefined;
  crosshair?: number | null | undefined;
  /** The time under the pointer; null when it leaves. */
  onHover?: ((time: number | null) => void) | undefined;
  /** The time dragged over, or null for all of it (double click, Escape). */
  onZoom?: ((range: readonly [number, number] | null) => void) | undefined;
  label: string;
}

const TITLE = 20;
const GAP = 26;
const AXIS = 36;
const EVENT_ROW = 15;

export const panelHeight = (panel: SignalPanel): number =>
  panel.kind === "events" ? panel.rows.length * EVENT_ROW : (panel.height ?? 84);

export function SignalStack({
  width,
  panels,
  range,
  warmUp,
  crosshair = null,
  onHover,
  onZoom,
  label,
}: SignalStackProps) {
  const clip = `clip-${useId().replace(/\W/g, "")}`;
  const narrow = width < NARROW;
  const [left, right] = [narrow ? 38 : 50, width - (narrow ? 8 : endRoom(panels))];
  const [from, to] = range;
  const scaleX = linearScale(range, [left, right], narrow ? 5 : 10);
  const tops: number[] = [];
  let y = 6;
  for (const panel of panels) {
    tops.push(y + TITLE);
    y += TITLE + panelHeight(panel) + GAP;
  }
  const bottom = y - GAP;
  const height = bottom + AXIS;
  const warmUntil = warmUp !== undefined && warmUp > from ? Math.min(warmUp, to) : null;
  const shown = crosshair !== null && crosshair >= from && crosshair <= to ? crosshair : null;
  return (
    <Figure width={width} height={height} label={label} interactive={onZoom !== undefined}>
      <clipPath id={clip}>
        <rect x={left} y={0} width={px(right - left)} height={height} />
      </clipPath>
      {warmUntil !== null && (
        <>
          <rect
            className="warm-up"
            x={left}
            y={TITLE + 4}
            width={px(scaleX(warmUntil) - left)}
            height={px(bottom - TITLE - 4)}
          />
          {!narrow && shown === null && (
            <Text
              x={Math.max(scaleX(warmUntil) + 6, textWidth(panels[0]?.title ?? "", 12) + 90)}
              y={17}
              className="note"
            >
              ← warm-up, not measured
            </Text>
          )}
        </>
      )}
      {panels.map((panel, i) => {
        const place = {
          top: tops[i] ?? 0,
          height: panelHeight(panel),
          left,
          right,
          scaleX,
          narrow,
          clip: `url(#${clip})`,
          crosshair: shown,
        };
        return panel.kind === "events" ? (
          <EventPanelView key={panel.title} panel={panel} place={place} rowHeight={EVENT_ROW} />
        ) : (
          <LinePanelView key={panel.title} panel={panel} place={place} />
        );
      })}
      {scaleX.ticks.map((tick) => (
        <g key={tick.value}>
          <Line x1={scaleX(tick.value)} x2={scaleX(tick.value)} y1={bottom} y2={bottom + 5} className="tk" />
          <Text x={scaleX(tick.value)} y={bottom + 18} className="tick" anchor="middle">
            {tick.label}
          </Text>
        </g>
      ))}
      <Text x={right} y={height - 3} className="title" anchor="end">
        simulated time, s
      </Text>
      {shown !== null && <Line x1={scaleX(shown)} x2={scaleX(shown)} y1={TITLE + 2} y2={bottom} className="cursor" />}
      {(onHover || onZoom) && (
        <TimePicker
          left={left}
          right={right}
          bottom={bottom}
          range={range}
          crosshair={shown}
          onHover={onHover}
          onZoom={onZoom}
        />
      )}
    </Figure>
  );
}

/** Room for names at the right. */
function endRoom(panels: readonly SignalPanel[]): number {
  const labels = panels.flatMap((panel) =>
    panel.kind === "events"
      ? panel.rows.map((row) => `${row.label ?? row.name} 000`)
      : [...panel.lines.map((line) => line.label ?? ""), panel.reference?.label ?? ""],
  );
  return Math.min(160, Math.max(24, ...labels.map((text) => textWidth(text, 11.5) + 14)));
}

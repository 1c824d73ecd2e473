/** The panels of a signal stack: lines over time, and events as ticks. */
import { area, curveLinear, curveStepAfter, line } from "d3-shape";
import { memo } from "react";
import { hueOf } from "./algorithms";
import { Line, Text, ValueAxis } from "./marks";
import { fixed, formatTick } from "./numbers";
import type { EventPanel, LinePanel, SignalLine } from "./SignalStack";
import { linearScale, niceDomain, px, type Scale, spreadLabels } from "./scales";
import { type Sample, sampleAt, visibleEvents, visibleSamples } from "./signals";

export interface PanelPlace {
  top: number;
  height: number;
  left: number;
  right: number;
  scaleX: Scale;
  narrow: boolean;
  /** The clip path of the plot. */
  clip: string;
  crosshair: number | null;
}

const lineClass = ({ overlay, second }: SignalLine) => `signal${overlay ? " overlay" : ""}${second ? " second" : ""}`;
const signalKey = (signal: SignalLine) => `${signal.name} ${labelOf(signal)} ${lineClass(signal)}`;
const labelOf = ({ label, name }: { label?: string | undefined; name: string }) => label ?? name;

/** The largest value of the lines, however far it is zoomed in. */
function largest(panel: LinePanel): number {
  let most = 0;
  for (const { values } of panel.lines)
    for (let i = 0; i < values.length; i += 1) most = Math.max(most, values[i] ?? 0);
  return most;
}

export function LinePanelView({ panel, place }: { panel: LinePanel; place: PanelPlace }) {
  const { top, height, left, right, scaleX, narrow, clip } = place;
  const bottom = top + height;
  const count = height > 100 ? 4 : 2;
  const max =
    panel.max ?? niceDomain([0, Math.max(largest(panel), panel.reference?.value ?? 0)], { floor: 0, count: 4 })[1];
  const scaleY = linearScale([0, max], [bottom, top], count);
  return (
    <g>
      <PanelTitle panel={panel} place={place} />
      <ValueAxis scale={scaleY} from={left} to={right} />
      {panel.reference && panel.reference.value <= max && (
        <Line
          x1={left}
          x2={right}
          y1={scaleY(panel.reference.value)}
          y2={scaleY(panel.reference.value)}
          className="ref"
        />
      )}
      <g clipPath={clip}>
        <PanelLines
          panel={panel}
          top={top}
          bottom={bottom}
          left={left}
          right={right}
          from={scaleX.domain[0]}
          to={scaleX.domain[1]}
          max={max}
        />
      </g>
      {narrow && panel.reference && panel.reference.value <= max && (
        <Text x={right - 4} y={scaleY(panel.reference.value) - 4} className="note halo" anchor="end">
          {panel.reference.label}
        </Text>
      )}
      {!narrow && <EndLabels panel={panel} place={place} scaleY={scaleY} max={max} />}
    </g>
  );
}

interface PanelLinesProps {
  panel: LinePanel;
  top: number;
  bottom: number;
  left: number;
  right: number;
  from: number;
  to: number;
  max: number;
}

/** The lines themselves; they do not depend on the crosshair, so pointing does not draw them again. */
const PanelLines = memo(function PanelLines({ panel, top, bottom, left, right, from, to, max }: PanelLinesProps) {
  const scaleX = linearScale([from, to], [left, right]);
  const scaleY = linearScale([0, max], [bottom, top]);
  const curve = panel.step ? curveStepAfter : curveLinear;
  const x = ([time]: Sample) => px(scaleX(time));
  const y = ([, value]: Sample) => px(scaleY(Math.min(max, Math.max(0, value ?? 0))));
  const present = ([, value]: Sample) => value !== null;
  const drawLine = line<Sample>(x, y).defined(present).curve(curve);
  const drawArea = area<Sample>(x, bottom, y).defined(present).curve(curve);
  const drawn = panel.lines.map((signal) => ({
    signal,
    samples: visibleSamples(signal, from, to, Math.ceil(right - left)),
    hue: hueOf(signal.name),
  }));
  // lines laid over are drawn first, the first line of the run last
  const order = [...drawn].sort((a, b) => strength(a.signal) - strength(b.signal));
  return order.map(({ signal, samples, hue }) => (
    <g key={signalKey(signal)} data-a={hue}>
      {panel.area && !signal.overlay && <path className="band" d={drawArea(samples) ?? ""} />}
      <path className={lineClass(signal)} d={drawLine(samples) ?? ""} />
    </g>
  ));
});

const strength = ({ overlay, second }: SignalLine) => (overlay ? 0 : 2) + (second ? 0 : 1);

/** Names of lines (if they have labels) and of the reference at the right, apart from each other. */
function EndLabels({ panel, place, scaleY, max }: { panel: LinePanel; place: PanelPlace; scaleY: Scale; max: number }) {
  const { top, height, right, scaleX } = place;
  const labels = panel.lines
    .filter(({ label }) => label !== undefined)
    .map((signal) => ({
      text: labelOf(signal),
      y: scaleY(Math.min(max, sampleAt(signal, scaleX.domain[1]) ?? 0)),
      className: signal.overlay ? "label small thin" : "label small",
      hue: hueOf(signal.name),
    }));
  const { reference } = panel;
  if (reference && reference.value <= max)
    labels.push({ text: reference.label, y: scaleY(reference.value), className: "note", hue: undefined });
  const ys = spreadLabels(
    labels.map(({ y }) => y),
    14,
    top + 2,
    top + height,
  );
  return labels.map(({ text, className, hue }, i) => (
    <Text key={`${text} ${className}`} x={right + 10} y={(ys[i] ?? 0) + 4} className={className} hue={hue}>
      {text}
    </Text>
  ));
}

/** Title, and the values under the crosshair. */
function PanelTitle({ panel, place }: { panel: LinePanel | EventPanel; place: PanelPlace }) {
  const { top, right, crosshair, narrow } = place;
  const signals =
    panel.kind === "lines" && crosshair !== null ? panel.lines.filter(({ overlay }) => !narrow || !overlay) : [];
  const values = [...signals]
    .sort((a, b) => strength(b) - strength(a))
    .map((signal) => ({ signal, value: crosshair === null ? null : sampleAt(signal, crosshair) }));
  return (
    <>
      <Text x={0} y={top - 9} className="title">
        <tspan className="strong">{panel.title}</tspan>
        {panel.unit && <tspan dx={5}>{panel.unit}</tspan>}
      </Text>
      {crosshair !== null && values.length > 0 && (
        <Text x={right} y={top - 9} className="note" anchor="end">
          {values.map(({ signal, value }, i) => (
            <tspan
              key={signalKey(signal)}
              data-a={hueOf(signal.name)}
              className={signal.overlay ? "label nano thin" : "label nano"}
              dx={i > 0 ? 10 : 0}
            >
              {value === null ? "–" : formatTick(Math.round(10 * value) / 10, Number.isInteger(value) ? 1 : 0.1)}
            </tspan>
          ))}
          <tspan dx={10}>at {fixed(crosshair, 2)} s</tspan>
        </Text>
      )}
    </>
  );
}

export function EventPanelView({
  panel,
  place,
  rowHeight,
}: {
  panel: EventPanel;
  place: PanelPlace;
  rowHeight: number;
}) {
  const { top, left, right, scaleX, narrow, clip } = place;
  const [from, to] = scaleX.domain;
  return (
    <g>
      <PanelTitle panel={panel} place={place} />
      {panel.rows.map((row, i) => {
        const y = top + i * rowHeight + rowHeight / 2;
        const ticks = visibleEvents(row.times, from, to, Math.ceil(right - left));
        return (
          <g key={`${row.name} ${row.label ?? ""} ${row.overlay ?? false}`} data-a={hueOf(row.name)}>
            <Line x1={left} x2={right} y1={y} y2={y} className="rail" />
            <path
              className={row.overlay ? "event overlay" : "event"}
              clipPath={clip}
              d={ticks.map((time) => `M${px(scaleX(time))},${px(y - 5)}v10`).join("")}
            />
            {!narrow && (
              <Text x={right + 10} y={y + 4} className="label small">
                {labelOf(row)}
                <tspan className="soft" dx={4}>
                  {fixed(row.total ?? row.times.length, 0)}
                </tspan>
              </Text>
            )}
          </g>
        );
      })}
    </g>
  );
}

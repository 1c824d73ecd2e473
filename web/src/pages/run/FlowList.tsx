import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import { fixed, formatValue } from "../../figures/numbers";
import type { ListedFlow } from "./topologyModel";

const VIRTUAL_FROM = 200;
const ROW_PX = 30;
const BAR = 96;

interface Props {
  flows: readonly ListedFlow[];
  chosen: string | undefined;
  onPoint: (flow: string | null) => void;
  onChoose: (flow: string | undefined) => void;
}

/** Flows with what they got of their max-min fair rate; pointing at one shows its path, pressing keeps it. */
export function FlowList({ flows, chosen, onPoint, onChoose }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const virtual = flows.length > VIRTUAL_FROM;
  const virtualizer = useVirtualizer({
    count: flows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
    enabled: virtual,
  });
  if (flows.length === 0) return <aside className="quiet">No flow records.</aside>;
  const rated = flows.some(({ ceiling }) => ceiling !== undefined);
  const most = Math.max(1e-9, ...flows.map(({ goodput = 0, ceiling = 0 }) => Math.max(goodput, ceiling)));
  const paths = flows.some(({ path }) => path !== undefined);
  const items = virtual
    ? virtualizer.getVirtualItems().map(({ index, start }) => ({ index, top: start }))
    : flows.map((_, index) => ({ index, top: index * ROW_PX }));
  return (
    <aside className="flow-list" aria-label="Flows">
      <h2>
        Flows
        <small>{paths ? "worst first; point to see the path" : "worst first; this run’s records have no paths"}</small>
      </h2>
      <div className="flow-head quiet" aria-hidden="true">
        <span>hosts</span>
        <span>{rated ? "of the fair rate" : "goodput"}</span>
        <span>Mb/s</span>
        <span>{rated ? "got" : ""}</span>
      </div>
      <div ref={box} className={virtual ? "flow-rows tall" : "flow-rows"}>
        <div style={{ height: flows.length * ROW_PX, position: "relative" }}>
          {items.map(({ index, top }) => {
            const flow = flows[index];
            return flow ? (
              <button
                key={flow.flow}
                type="button"
                className="flow-row"
                aria-pressed={chosen === flow.flow}
                disabled={!flow.path}
                style={{ transform: `translateY(${top}px)` }}
                onPointerEnter={() => onPoint(flow.flow)}
                onPointerLeave={() => onPoint(null)}
                onFocus={() => onPoint(flow.flow)}
                onBlur={() => onPoint(null)}
                onClick={() => onChoose(chosen === flow.flow ? undefined : flow.flow)}
              >
                <FlowRow flow={flow} most={most} />
              </button>
            ) : null;
          })}
        </div>
      </div>
      {rated && (
        <p className="quiet">
          The fair rate is the max-min fair one if every flow always had data to send: a flow that pauses need not reach
          it, and one beside it may exceed its own.
        </p>
      )}
    </aside>
  );
}

const short = (host: string) => host.replace(/^host/, "");

function FlowRow({ flow, most }: { flow: ListedFlow; most: number }) {
  const { goodput, ceiling } = flow;
  const width = (value: number) => Math.max(0.5, (value / most) * BAR);
  return (
    <>
      <span>
        {short(flow.from)} <i>→</i> {short(flow.to)}
      </span>
      <svg viewBox={`0 0 ${BAR} 10`} width={BAR} height={10} aria-hidden="true">
        {ceiling !== undefined && <rect className="ceiling" y={3.5} width={width(ceiling)} height={3} />}
        {goodput !== undefined && <rect className="got" y={2} width={width(goodput)} height={6} rx={1} />}
      </svg>
      <span className="r">
        {goodput === undefined ? "–" : goodput >= 10 ? fixed(goodput, 1) : formatValue(goodput)}
      </span>
      <span className="r quiet">
        {goodput !== undefined && ceiling ? `${fixed((100 * goodput) / ceiling, 0)} %` : ""}
      </span>
    </>
  );
}

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import { api, type CampaignDetail, unwrap } from "../../api/client";
import { gridQuery } from "../../api/queries";
import { AlgorithmTag } from "../../figures/marks";
import { ScrollRegion } from "../../ui/ScrollRegion";
import { ErrorNote, Skeleton } from "../../ui/states";
import { axesOf, isAlgorithmAxis } from "../comparison/axes";

const STATES: Record<string, string> = {
  q: "queued",
  r: "running",
  s: "succeeded",
  f: "failed",
  c: "cancelled",
  "-": "none",
};
const ROW_PX = 24;
const VIRTUAL_FROM = 100;

/** Cells by seeds; each tile is a run, coloured by its state, and opens it. */
export function Tiles({ campaign }: { campaign: CampaignDetail }) {
  const { data: grid, error } = useQuery(gridQuery(campaign.id));
  const box = useRef<HTMLElement>(null);
  const navigate = useNavigate();
  const count = grid?.states.length ?? 0;
  const virtual = count >= VIRTUAL_FROM;
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
    enabled: virtual,
  });
  if (!grid) return error ? <ErrorNote error={error} /> : <Skeleton lines={4} />;
  const axes = axesOf(
    campaign.axes,
    grid.coordinates.map((coordinates) => ({ coordinates })),
  );
  const open = async (cell: number, seed: number) => {
    const page = unwrap(
      await api.GET("/api/v1/campaigns/{campaign_id}/runs", {
        params: { path: { campaign_id: campaign.id }, query: { cell, seed, limit: 1 } },
      }),
    );
    const run = page.runs[0];
    if (run) await navigate({ to: "/runs/$runId", params: { runId: run.id }, search: { campaign: campaign.id } });
  };
  const items = virtual
    ? virtualizer.getVirtualItems().map((item) => ({ index: item.index, top: item.start }))
    : grid.states.map((_, index) => ({ index, top: index * ROW_PX }));
  return (
    <>
      <ul className="legend-states" aria-label="States">
        {["succeeded", "running", "queued", "failed", "cancelled"].map((state) => (
          <li key={state}>
            <i className={`tile ${state}`} aria-hidden="true" /> {state}
          </li>
        ))}
      </ul>
      <ScrollRegion
        ref={box}
        label="Runs by cell and seed"
        className="tiles"
        style={virtual ? { maxHeight: "60vh" } : undefined}
        testId="tiles"
      >
        <div style={{ height: count * ROW_PX, position: "relative" }}>
          {items.map(({ index, top }) => (
            <div key={index} className="tile-row" style={{ transform: `translateY(${top}px)` }}>
              <span className="tile-name">
                {axes.map((axis) => (
                  <span key={axis.name}>
                    {isAlgorithmAxis(axis) ? (
                      <AlgorithmTag name={grid.coordinates[index]?.[axis.name] ?? ""} />
                    ) : (
                      (grid.coordinates[index]?.[axis.name] ?? "")
                    )}
                  </span>
                ))}
                {axes.length === 0 && "all runs"}
              </span>
              <span className="tile-seeds">
                {[...(grid.states[index] ?? "")].map((letter, offset) => {
                  const seed = offset + 1;
                  const state = STATES[letter] ?? "none";
                  const label = `cell ${index}, seed ${seed}: ${state}`;
                  return (
                    <button
                      key={label}
                      type="button"
                      className={`tile ${state}`}
                      title={label}
                      aria-label={label}
                      onClick={() => void open(index, seed)}
                    />
                  );
                })}
              </span>
            </div>
          ))}
        </div>
      </ScrollRegion>
    </>
  );
}

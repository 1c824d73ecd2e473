import { UTILIZATION_STEPS } from "../../figures/TopologyMap";

/** The colours of links, from idle to full. */
export function UtilizationLegend() {
  return (
    <p className="busy-legend quiet">
      <span>link busy</span>
      <span className="swatch" aria-hidden="true">
        {[...UTILIZATION_STEPS, 100].map((end, step) => (
          <i key={end} style={{ background: `var(--s${step})` }} />
        ))}
      </span>
      <span>
        idle · {UTILIZATION_STEPS.slice(1, -1).join(" · ")} · over {UTILIZATION_STEPS.at(-1)} %
      </span>
    </p>
  );
}

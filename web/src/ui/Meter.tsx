import type { Campaign } from "../api/client";
import { formatProgress, progressSegments } from "../format";

/** A campaign's progress; runs that were cancelled are hatched, never full. */
export function Meter({ campaign }: { campaign: Campaign }) {
  const segments = progressSegments(campaign);
  const rest = Math.max(0, 100 - segments.reduce((sum, segment) => sum + segment.percent, 0));
  return (
    <div className="meter" role="img" aria-label={formatProgress(campaign.runs)}>
      {segments.map(({ state, percent }) => (
        <i key={state} className={state} style={{ flexGrow: percent }} />
      ))}
      {rest > 0 && <i style={{ flexGrow: rest }} />}
    </div>
  );
}

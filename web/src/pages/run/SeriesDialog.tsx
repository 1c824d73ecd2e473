import { useState } from "react";
import type { SeriesInfo } from "../../api/client";
import { formatCompact } from "../../figures/numbers";
import { Dialog } from "../../ui/Dialog";
import { probeTitle, seriesByProbe, splitSeries, targetLabel } from "./signalModel";

interface Props {
  series: readonly SeriesInfo[];
  chosen: readonly string[];
  onChange: (names: string[] | undefined) => void;
  onClose: () => void;
}

const MOST_LISTED = 60;

/** Which series are shown; those of a probe share a panel. */
export function SeriesDialog({ series, chosen, onChange, onClose }: Props) {
  const [find, setFind] = useState("");
  const wanted = find.trim().toLowerCase();
  const toggle = (name: string) => {
    const next = chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name];
    if (next.length > 0) onChange(next);
  };
  return (
    <Dialog title="Signals" onClose={onClose}>
      {series.length > 20 && (
        <input
          className="input series-find"
          value={find}
          placeholder="Find a flow or a port"
          aria-label="Find a flow or a port"
          onChange={(event) => setFind(event.currentTarget.value)}
        />
      )}
      <div className="series-list">
        {[...seriesByProbe(series)].map(([probe, all]) => {
          const matching = all.filter(({ name }) => name.toLowerCase().includes(wanted));
          if (matching.length === 0) return null;
          return (
            <fieldset key={probe} className="choices">
              <legend>
                {probeTitle(probe)} {all[0]?.unit && `(${all[0].unit})`}
              </legend>
              {matching.slice(0, MOST_LISTED).map(({ name, mean }) => (
                <label key={name}>
                  <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} />
                  <span>
                    {targetLabel(splitSeries(name).target) || "all"}{" "}
                    <small className="quiet">mean {formatCompact(mean)}</small>
                  </span>
                </label>
              ))}
              {matching.length > MOST_LISTED && (
                <p className="quiet">and {matching.length - MOST_LISTED} more; find one by name</p>
              )}
            </fieldset>
          );
        })}
      </div>
      <div className="acts">
        <button type="button" className="btn" onClick={() => onChange(undefined)}>
          Default
        </button>
        <button type="button" className="btn main" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  );
}

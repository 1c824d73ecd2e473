import { AlgorithmTag } from "../../figures/marks";
import { formatInterval } from "../../figures/numbers";
import { SeedStrip } from "../../figures/SeedStrip";
import { interval, type Model } from "./model";

/** Every seed of every cell as a tick on one scale. */
export function SeedsFigure({ model, width }: { model: Model; width: number }) {
  const values = model.cells.flatMap((cell) => Object.values(cell.metrics[model.metric.name]?.values ?? {}));
  const low = values.reduce((least, value) => Math.min(least, value), 0);
  const high = values.reduce((most, value) => Math.max(most, value), 0);
  const stripWidth = Math.max(120, width - 320);
  return (
    <ul className="seed-rows">
      {model.groups.flatMap((group) =>
        group.cells.map((cell) => {
          const metric = cell.metrics[model.metric.name];
          const value = interval(metric);
          return (
            <li key={cell.index}>
              <AlgorithmTag name={group.name} label={group.label} />
              <span className="quiet">{model.x ? cell.coordinates[model.x.name] : ""}</span>
              {metric && (
                <SeedStrip
                  values={Object.values(metric.values)}
                  domain={[low, high]}
                  name={group.name}
                  width={stripWidth}
                />
              )}
              <span className="r num">{value ? formatInterval(value).value : "–"}</span>
            </li>
          );
        }),
      )}
    </ul>
  );
}

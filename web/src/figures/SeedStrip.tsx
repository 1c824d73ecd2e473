/** The values of a cell's seeds as ticks on a scale that its column shares. */
import { algorithmStyle } from "./algorithms";
import { clamp, linearScale, px } from "./scales";

export interface SeedStripProps {
  name: string;
  /** A value of each seed; null where a seed has none. */
  values: readonly (number | null)[];
  /** Ends of the scale that all strips of a column share. */
  domain: readonly [number, number];
  width?: number | undefined;
  /** What a screen reader says; without it the strip only repeats numbers beside it. */
  label?: string | undefined;
}

const HEIGHT = 14;

export function SeedStrip({ name, values, domain, width = 84, label }: SeedStripProps) {
  const scale = linearScale(domain, [4, width - 4]);
  return (
    <svg
      className="fig strip"
      viewBox={`0 0 ${width} ${HEIGHT}`}
      width={width}
      height={HEIGHT}
      data-a={algorithmStyle(name).hue}
      role="img"
      aria-label={label}
      aria-hidden={label === undefined || undefined}
    >
      <line className="rail" x1={4} x2={width - 4} y1={HEIGHT / 2} y2={HEIGHT / 2} />
      {values.map((value, seed) => {
        if (value === null) return null;
        const x = px(scale(clamp(value, domain)));
        // biome-ignore lint/suspicious/noArrayIndexKey: the index is the seed
        return <line key={seed} className="seed" x1={x} x2={x} y1={2.5} y2={HEIGHT - 2.5} />;
      })}
    </svg>
  );
}

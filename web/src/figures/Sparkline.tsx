/** A quiet line without axes: how a campaign progressed. */
import { linearScale, px } from "./scales";

export interface SparklineProps {
  /** Time and fraction from 0 to 1. */
  points: readonly (readonly [time: number, fraction: number])[];
  width: number;
  height: number;
  state?: "done" | "running" | "failed" | "cancelled" | undefined;
  /** Without it the line only repeats numbers beside it. */
  label?: string | undefined;
}

export function Sparkline({ points, width, height, state = "done", label }: SparklineProps) {
  const first = points[0]?.[0] ?? 0;
  const last = points.at(-1)?.[0] ?? 1;
  const scaleX = linearScale([first, last > first ? last : first + 1], [1, width - 1]);
  const scaleY = linearScale([0, 1], [height - 1.5, 1.5]);
  const path = points.map(([time, fraction]) => `${px(scaleX(time))},${px(scaleY(fraction))}`).join("L");
  return (
    <svg
      className={`spark ${state}`}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={label}
      aria-hidden={label === undefined || undefined}
    >
      {points.length > 1 && (
        <>
          <path className="fill" d={`M${path}V${height}H1Z`} />
          <path className="edge" d={`M${path}`} />
        </>
      )}
    </svg>
  );
}

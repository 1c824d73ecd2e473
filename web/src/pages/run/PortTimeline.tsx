import { Figure, Line, Text } from "../../figures/marks";
import { fixed } from "../../figures/numbers";
import { linearScale, niceDomain, px } from "../../figures/scales";
import { useWidth } from "../../ui/useWidth";
import { hotLinks, type PortTimes } from "./topologyModel";

const HOT = 95;
const HEIGHT = 74;
const [LEFT, RIGHT] = [34, 6];

interface Props {
  data: PortTimes;
  picked: number | undefined;
  onPick: (time: number) => void;
}

/** How many links were full at each time, and a slider to go to one. */
export function PortTimeline({ data, picked, onPick }: Props) {
  const [box, width] = useWidth<HTMLDivElement>(600);
  const counts = hotLinks(data, HOT);
  const start = (data.times[0] ?? 0) - data.step;
  const end = data.times.at(-1) ?? 1;
  const x = linearScale([start, end], [LEFT, width - RIGHT], width < 500 ? 4 : 8);
  const y = linearScale(niceDomain([0, ...counts], { floor: 0, count: 2 }), [54, 8], 2);
  const bar = Math.max(0.8, (width - LEFT - RIGHT) / counts.length - 1);
  const time = picked === undefined ? undefined : data.times[picked];
  return (
    <div ref={box} className="timeline">
      <Figure width={width} height={HEIGHT} label={`links that are at least ${HOT} % busy, by ${data.step} s`}>
        {y.ticks
          .filter(({ value }) => Number.isInteger(value))
          .map(({ value }) => (
            <g key={value}>
              <Line
                x1={LEFT}
                x2={width - RIGHT}
                y1={y(value)}
                y2={y(value)}
                className={value === 0 ? "base" : "grid"}
              />
              <Text x={LEFT - 8} y={y(value) + 4} className="tick" anchor="end">
                {fixed(value, 0)}
              </Text>
            </g>
          ))}
        {counts.map((count, i) => {
          const share = count / Math.max(1, data.byPort.size);
          return count === 0 ? null : (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a step is its index
              key={i}
              x={px(x(start + i * data.step) + 0.5)}
              y={px(y(count))}
              width={px(bar)}
              height={px(54 - y(count))}
              style={{
                fill: `var(--s${share > 0.15 ? 6 : share > 0.07 ? 5 : 4})`,
                opacity: picked === undefined || picked === i ? 1 : 0.45,
              }}
            />
          );
        })}
        {x.ticks.map(({ value, label }) => (
          <Text key={value} x={x(value)} y={70} className="tick" anchor="middle">
            {label}
          </Text>
        ))}
        {time !== undefined && (
          <Line x1={x(time - data.step / 2)} x2={x(time - data.step / 2)} y1={2} y2={56} className="cursor" />
        )}
      </Figure>
      <input
        type="range"
        aria-label="simulated time"
        aria-valuetext={time === undefined ? "mean" : `${fixed(time - data.step, 2)} s`}
        min={0}
        max={counts.length - 1}
        value={picked ?? 0}
        onChange={(event) => onPick(Number((data.times[event.currentTarget.valueAsNumber] ?? 0).toFixed(6)))}
      />
      <p className="quiet">
        Links at least {HOT} % busy, by {data.step * 1000} ms, of {data.byPort.size} recorded.
      </p>
    </div>
  );
}

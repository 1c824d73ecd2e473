import { hueOf } from "../../figures/algorithms";
import { Figure, Line, PlaceAxis, Text, ValueAxis } from "../../figures/marks";
import { formatValue } from "../../figures/numbers";
import { linearScale, niceDomain, px } from "../../figures/scales";
import { binsOf } from "./recordColumns";

interface Props {
  width: number;
  values: readonly number[];
  title: string;
  unit: string;
  algorithm: string;
  /** What a value belongs to, in the plural. */
  counted: string;
}

const HEIGHT = 168;

/** How the values of a column are distributed. */
export function Histogram({ width, values, title, unit, algorithm, counted }: Props) {
  const full = Math.min(width, 760);
  const [left, right, top, bottom] = [50, full - 12, 30, HEIGHT - 34];
  const floor = values.every((value) => value >= 0) ? 0 : null;
  const domain = niceDomain(values, { floor, count: 6 });
  const bins = binsOf(values, domain);
  const x = linearScale(domain, [left, right], full < 500 ? 4 : 8);
  const y = linearScale(niceDomain([0, ...bins.map(({ count }) => count)], { floor: 0, count: 3 }), [bottom, top], 3);
  const whole = { ...y, ticks: y.ticks.filter(({ value }) => Number.isInteger(value)) };
  const scale = Object.assign((value: number) => y(value), whole);
  return (
    <Figure width={full} height={HEIGHT} label={`distribution of ${title} over ${values.length} ${counted}`}>
      <Text x={0} y={12} className="title">
        <tspan className="strong">{counted}</tspan>
        <tspan dx={5}>
          by {title}
          {unit && `, ${unit}`}
        </tspan>
      </Text>
      <ValueAxis scale={scale} from={left} to={right} />
      <g data-a={hueOf(algorithm)}>
        {bins.map((bin) => {
          const [from, to] = [x(bin.from), x(bin.to)];
          return bin.count === 0 ? null : (
            <rect
              key={bin.from}
              className="bin"
              x={px(from + 0.5)}
              y={px(y(bin.count))}
              width={px(Math.max(1, to - from - 1))}
              height={px(bottom - y(bin.count))}
            >
              <title>{`${formatValue(bin.from)} to ${formatValue(bin.to)}: ${bin.count}`}</title>
            </rect>
          );
        })}
      </g>
      <Line x1={left} x2={right} y1={bottom} y2={bottom} className="base" />
      <PlaceAxis scale={x} ticks={x.ticks} y={bottom} />
    </Figure>
  );
}

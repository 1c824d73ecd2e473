import type { EChartsOption } from "echarts";
import type { Series } from "../api/client";
import { colorOf } from "./palette";

/** Points of a series; the x values are seconds of simulated time. */
export function seriesPoints(series: Series): [number, number][] {
  return series.times_ns.map((ns, i) => [ns / 1e9, series.values[i] ?? 0]);
}

/** One time series as a step plot: a queue's length is constant until it changes. */
export function seriesOption(series: Series): EChartsOption {
  return {
    animation: false,
    grid: { left: 8, right: 16, top: 32, bottom: 32, containLabel: true },
    xAxis: { type: "value", name: "simulated time (s)", nameLocation: "middle", nameGap: 26, max: "dataMax", axisLabel: { showMaxLabel: false } },
    yAxis: { type: "value", name: series.unit, min: 0 },
    tooltip: { trigger: "axis" },
    series: [
      {
        type: "line",
        step: "end",
        showSymbol: false,
        lineStyle: { width: 1 },
        color: colorOf(0),
        areaStyle: { opacity: 0.15 },
        data: seriesPoints(series),
      },
    ],
  };
}

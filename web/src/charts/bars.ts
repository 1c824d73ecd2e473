import type { CustomSeriesRenderItem, EChartsOption } from "echarts";
import type { ComparedCell, MetricInfo } from "../api/client";
import { formatEstimate, metricTitleWithUnit } from "../format";
import { colorOf } from "./palette";

/** A cell's label where its axes have no separate columns. */
export const cellLabel = (cell: ComparedCell): string => Object.values(cell.coordinates).join(", ");

/** Rows for the cells that have the metric, in the campaign's order. */
export function barRows(cells: ComparedCell[], metric: string) {
  return cells.flatMap((cell) => {
    const value = cell.metrics[metric];
    if (!value?.estimate) return [];
    const mean = value.estimate.mean;
    const [low, high] = value.estimate.ci95 ?? [mean, mean];
    return [{ label: cellLabel(cell), mean, low, high, text: formatEstimate(value, cell.planned), index: cell.index }];
  });
}

const renderInterval: CustomSeriesRenderItem = (_, api) => {
  const y = api.coord([0, api.value(0)])[1] ?? 0;
  const low = api.coord([api.value(1), 0])[0] ?? 0;
  const high = api.coord([api.value(2), 0])[0] ?? 0;
  const style = { stroke: "#222", lineWidth: 1.5 };
  const line = (x1: number, y1: number, x2: number, y2: number) =>
    ({ type: "line", shape: { x1, y1, x2, y2 }, style }) as const;
  return {
    type: "group",
    children: [line(low, y, high, y), line(low, y - 5, low, y + 5), line(high, y - 5, high, y + 5)],
  };
};

/** Horizontal bars of means, each with its 95 % confidence interval. */
export function barsOption(cells: ComparedCell[], metric: MetricInfo): EChartsOption {
  const rows = barRows(cells, metric.name);
  return {
    animation: false,
    grid: { left: 8, right: 24, top: 8, bottom: 32, containLabel: true },
    xAxis: { type: "value", name: metricTitleWithUnit(metric), nameLocation: "middle", nameGap: 28, min: (range) => Math.min(0, range.min) },
    yAxis: { type: "category", inverse: true, data: rows.map((row) => row.label) },
    tooltip: {
      trigger: "axis",
      axisPointer: { type: "shadow" },
      formatter: (items) => {
        const first = Array.isArray(items) ? items[0] : items;
        const row = rows[first?.dataIndex ?? 0];
        return row ? `${row.label}: ${row.text} ${metric.unit}` : "";
      },
    },
    series: [
      {
        type: "bar",
        barMaxWidth: 22,
        data: rows.map((row) => ({ value: row.mean, itemStyle: { color: colorOf(row.index) } })),
      },
      {
        type: "custom",
        renderItem: renderInterval,
        encode: { x: [1, 2], y: 0 },
        data: rows.map((row, place) => [place, row.low, row.high]),
        silent: true,
        z: 10,
      },
    ],
  };
}

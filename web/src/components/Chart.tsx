import { Box } from "@mantine/core";
import { BarChart, CustomChart, LineChart } from "echarts/charts";
import { GridComponent, TooltipComponent } from "echarts/components";
import * as echarts from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import type { EChartsOption } from "echarts";
import { useEffect, useRef } from "react";

echarts.use([BarChart, CustomChart, LineChart, GridComponent, TooltipComponent, SVGRenderer]);

interface ChartProps {
  option: EChartsOption;
  height: number;
  /** Accessible name; every chart's data is also shown in a table. */
  label: string;
}

/**
 * The option with its tooltip drawn as text. By default ECharts puts a formatter's result into the page
 * as HTML, and with it whatever a label contains.
 */
export const withTextTooltip = (option: EChartsOption): EChartsOption => ({
  ...option,
  tooltip: { ...option.tooltip, renderMode: "richText", confine: true },
});

/** An SVG chart that resizes with its container; the only place that uses ECharts. */
export function Chart({ option, height, label }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<echarts.ECharts | null>(null);

  useEffect(() => {
    if (!box.current) return;
    const made = echarts.init(box.current, null, { renderer: "svg" });
    chart.current = made;
    const observer = new ResizeObserver(() => made.resize());
    observer.observe(box.current);
    return () => {
      observer.disconnect();
      made.dispose();
      chart.current = null;
    };
  }, []);

  useEffect(() => {
    chart.current?.setOption(withTextTooltip(option), true);
  }, [option]);

  return <Box ref={box} h={height} w="100%" role="img" aria-label={label} />;
}

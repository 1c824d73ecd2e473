import { Table, Text } from "@mantine/core";
import type { ComparedCell, Comparison, MetricInfo } from "../api/client";
import { axisTitles, formatDifference, formatEstimate, metricTitleWithUnit } from "../format";
import { WideTable } from "./WideTable";

function Value({ cell, metric }: { cell: ComparedCell; metric: MetricInfo }) {
  const value = cell.metrics[metric.name];
  if (!value) return <>–</>;
  return (
    <>
      <span data-testid={`mean-${cell.index}-${metric.name}`} data-mean={value.estimate?.mean}>
        {formatEstimate(value, cell.planned)}
      </span>
      <Text size="xs" c="dimmed" component="div">
        {cell.is_baseline ? "baseline" : formatDifference(value)}
      </Text>
    </>
  );
}

/** One row per cell, one column per metric: mean ± half-width of the 95 % interval, difference below. */
export function ComparisonTable({ comparison, metrics }: { comparison: Comparison; metrics: MetricInfo[] }) {
  const { axes } = comparison;
  return (
    <WideTable>
      <Table striped highlightOnHover withTableBorder data-testid="comparison">
        <Table.Thead>
          <Table.Tr>
            {axisTitles(axes).map((title) => (
              <Table.Th key={title}>{title}</Table.Th>
            ))}
            <Table.Th ta="right">seeds</Table.Th>
            {metrics.map((metric) => (
              <Table.Th key={metric.name} ta="right" title={metric.definition}>
                {metricTitleWithUnit(metric)}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {comparison.cells.map((cell) => (
            <Table.Tr key={cell.index} {...(cell.is_baseline ? { fw: 600 } : {})}>
              {axes.map((axis) => (
                <Table.Td key={axis}>{cell.coordinates[axis]}</Table.Td>
              ))}
              <Table.Td ta="right">{cell.deterministic ? "deterministic, n = 1" : cell.finished === cell.planned ? cell.planned : `${cell.finished} of ${cell.planned}`}</Table.Td>
              {metrics.map((metric) => (
                <Table.Td key={metric.name} ta="right" style={{ fontVariantNumeric: "tabular-nums", whiteSpace: "nowrap" }}>
                  <Value cell={cell} metric={metric} />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}

import { Card, MultiSelect, Select, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useMemo } from "react";
import type { Comparison } from "../api/client";
import { barsOption } from "../charts/bars";
import { metricTitleWithUnit } from "../format";
import { Chart } from "./Chart";
import { ComparisonTable } from "./ComparisonTable";

interface Props {
  comparison: Comparison;
  /** The metric in the chart, and the metrics in the table; both are part of the URL. */
  metric: string | undefined;
  columns: string[] | undefined;
  onChange: (view: { metric?: string; columns?: string[] }) => void;
}

export function ComparisonSection({ comparison, metric, columns, onChange }: Props) {
  const options = comparison.available.map((one) => ({ value: one.name, label: metricTitleWithUnit(one) }));
  const tabled = columns ?? comparison.default_metrics;
  const shown = comparison.metrics.filter((one) => tabled.includes(one.name));
  const drawn = comparison.metrics.find((one) => one.name === metric) ?? shown[0] ?? comparison.metrics[0];
  const option = useMemo(() => drawn && barsOption(comparison.cells, drawn), [comparison, drawn]);
  return (
    <Stack>
      <Title order={3}>Comparison</Title>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Select
          label="Chart"
          data={options}
          value={drawn?.name ?? null}
          onChange={(name) => name && onChange({ metric: name })}
          allowDeselect={false}
          searchable
        />
        <MultiSelect label="Columns" data={options} value={shown.map((one) => one.name)} onChange={(names) => onChange({ columns: names })} />
      </SimpleGrid>
      {drawn && option && (
        <Card withBorder padding="xs">
          <Chart option={option} height={60 + 30 * comparison.cells.length} label={`bar chart of ${drawn.name}; the table contains the same values`} />
        </Card>
      )}
      <ComparisonTable comparison={comparison} metrics={shown} />
      <div data-testid="notes">
        {comparison.notes.map((note) => (
          <Text key={note} size="sm" c="dimmed">
            {note}
          </Text>
        ))}
      </div>
    </Stack>
  );
}

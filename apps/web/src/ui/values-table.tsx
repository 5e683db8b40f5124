import { Table } from '@mantine/core';
import type { SeriesChartProps } from './series.ts';
import classes from './series-chart.module.css';
import { texts } from './texts.tsx';
import { formatExact } from './time.tsx';

const text = texts.seriesPlot;

export function formatOrGap(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value);
}

export function ValuesTable({
  title,
  times,
  series,
  format,
  openFrom,
}: Pick<SeriesChartProps, 'title' | 'times' | 'series' | 'format'> & { readonly openFrom: number }) {
  return (
    <section className={classes.scroll} tabIndex={0} aria-label={text.valuesTable.title(title)}>
      <Table stickyHeader fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.valuesTable.time}</Table.Th>
            {series.map(({ label }) => (
              <Table.Th key={label} ta="right">
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {times.map((at, row) => (
            <Table.Tr key={at}>
              <Table.Td>
                {formatExact(at)}
                {row >= openFrom && ` ${text.plot.open}`}
              </Table.Td>
              {series.map(({ label, values }) => (
                <Table.Td key={label} ta="right">
                  {formatOrGap(values[row], format)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

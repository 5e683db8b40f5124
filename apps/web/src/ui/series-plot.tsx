import { Button, Table, useComputedColorScheme } from '@mantine/core';
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { useEffect, useMemo, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { texts } from '../texts/index.ts';
import { inOrderOfDrawing } from './drawing-order.ts';
import { toPlotData } from './plot-data.ts';
import classes from './series-chart.module.css';
import { formatExact } from './time.tsx';

const text = texts.ui.seriesPlot;

export interface Series {
  readonly label: string;
  /** Name of a CSS variable: `--f-bad`. */
  readonly color: `--${string}`;
  /** One value for each time; null is a gap. */
  readonly values: readonly (number | null)[];
}

export interface SeriesChartProps {
  /** Accessible name, and the title of the table view. */
  readonly title: string;
  /** RFC 3339, ascending. */
  readonly times: readonly string[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  readonly height?: number;
  /** The top of the scale if it is fixed: 100 for percent. */
  readonly max?: number;
  /** Values are counts per step, whose latest one says little: the legend shows them at the pointer only. */
  readonly isCount?: boolean;
  /** Index of the first incomplete step: lines are dashed from there on. */
  readonly openFrom?: number;
  /** Whether the legend explains gaps. */
  readonly hasGaps?: boolean;
  /** Values are bytes, or bytes per second: the scale uses powers of two. */
  readonly isBytes?: boolean;
}

const AXIS_PX = 52;
const CHARACTER_PX = 6.4;
const DAY_S = 86_400;

/** Width of the longest label. */
function widthOf(labels: readonly string[] | null): number {
  return Math.max(AXIS_PX, ...(labels ?? []).map((label) => Math.ceil(label.length * CHARACTER_PX) + 14));
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const zoned = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** Time zone of the axis: `UTC`, `GMT+1`. */
function zoneAt(time: string | undefined): string {
  if (time === undefined) return '';
  const parts = zoned.formatToParts(new Date(time));
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

/** 1, 2, 5, 10 ... */
const WHOLE_STEPS = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((one) => one * 10 ** power)).flat();

/** 1 B to 1 PiB. */
const BYTE_STEPS = Array.from({ length: 51 }, (_, power) => 2 ** power);

/** A value between two gaps has no line, so it gets a point. */
function findLone({ data }: uPlot, at: number): number[] {
  const values = data[at] ?? [];
  return Array.from(values.keys()).filter(
    (index) => values[index] != null && values[index - 1] == null && values[index + 1] == null,
  );
}

/** `14:05` in local time; the date at the beginning of a day, and if a step is a day. */
function formatTick(seconds: number, stepS: number): string {
  const at = new Date(seconds * 1000);
  const isMidnight = at.getHours() === 0 && at.getMinutes() === 0;
  return isMidnight || stepS >= DAY_S ? day.format(at) : clock.format(at);
}

export function SeriesPlot(props: SeriesChartProps) {
  const { title, times, series, format, height = 160, max, isCount, isBytes, hasGaps = false } = props;
  const openFrom = props.openFrom ?? times.length;
  const isOpen = openFrom < times.length;
  const { ref: sizeRef, width } = useElementSize<HTMLDivElement>();
  const box = useRef<HTMLDivElement>(null);
  const ref = useMergedRef(sizeRef, box);
  const scheme = useComputedColorScheme();
  const plot = useRef<uPlot>(null);
  const [index, setIndex] = useState<number | null>(null);
  const [isTable, setTable] = useState(false);
  const drawn = useMemo(() => inOrderOfDrawing(series), [series]);
  const data = useMemo(() => toPlotData({ times, drawn, openFrom }), [times, drawn, openFrom]);
  const looks = drawn.map(({ label, color }) => `${label} ${color}`).join();

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new plot for other series, sizes or colours; data follow below
  useEffect(() => {
    if (!box.current || width === 0 || isTable) return;
    const style = getComputedStyle(document.documentElement);
    const read = (name: string) => style.getPropertyValue(name).trim();
    const axis = {
      stroke: read('--mantine-color-dimmed'),
      grid: { stroke: read('--f-line'), width: 1 },
      ticks: { show: false },
      font: `11px ${read('--mantine-font-family') || 'sans-serif'}`,
    };
    const made = new uPlot(
      {
        width,
        height,
        cursor: { y: false, drag: { x: false, y: false } },
        legend: { show: false },
        scales: { y: { range: (_, __, top) => [0, max ?? Math.max(top * 1.1, 1)] } },
        axes: [
          { ...axis, size: 28, values: (_, ticks, __, ___, step) => ticks.map((tick) => formatTick(tick, step)) },
          {
            ...axis,
            size: (_, labels) => widthOf(labels),
            // A format without fractions would give several lines the same label.
            ...(isBytes && { incrs: BYTE_STEPS }),
            ...(!isBytes && format(0.5) === format(Math.round(0.5)) && { incrs: WHOLE_STEPS }),
            // Small counts have more ticks than integers.
            values: (_, ticks) => {
              const words = ticks.map((tick) => format(tick));
              const isAmbiguous = new Set(words).size < words.length;
              return words.map((word, index) => (isAmbiguous && !Number.isInteger(ticks[index]) ? '' : word));
            },
          },
        ],
        series: [
          {},
          ...[undefined, [4, 4]].flatMap((dash) =>
            drawn.map(({ label, color }) => ({
              label,
              stroke: read(color),
              width: 1.75,
              ...(dash && { dash }),
              points: { size: 5, filter: findLone },
            })),
          ),
        ],
        hooks: { setCursor: [(self) => setIndex(self.cursor.idx ?? null)] },
      },
      data,
      box.current,
    );
    plot.current = made;
    return () => made.destroy();
  }, [width, height, scheme, looks, max, isTable]);
  useEffect(() => plot.current?.setData(data), [data]);

  const at = index ?? times.length - 1;
  return (
    <figure className={classes.figure} aria-label={title}>
      <figcaption className={classes.head}>
        <span className={classes.legend}>
          {series.map(({ label, color, values }) => (
            <span key={label} className={classes.key}>
              <span className={classes.line} style={{ borderColor: `var(${color})` }} />
              {label}
              {(index !== null || !isCount) && <span className={classes.value}>{formatOrGap(values[at], format)}</span>}
            </span>
          ))}
          {index !== null && times[index] && (
            <span>
              {formatExact(times[index])}
              {index >= openFrom && ` ${text.plot.open}`}
            </span>
          )}
          {index === null && isOpen && <span>{text.plot.dashed}</span>}
          {index === null && hasGaps && <span>{text.plot.gaps}</span>}
        </span>
        <span className={classes.zone} title={text.plot.zone}>
          {zoneAt(times.at(-1))}
        </span>
        <Button variant="subtle" color="gray" size="compact-xs" onClick={() => setTable(!isTable)}>
          {isTable ? text.plot.chart : text.plot.table}
        </Button>
      </figcaption>
      {isTable ? (
        <ValuesTable title={title} times={times} series={series} format={format} openFrom={openFrom} />
      ) : (
        <div ref={ref} className={classes.plot} style={{ height }} />
      )}
    </figure>
  );
}

function formatOrGap(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value);
}

function ValuesTable({
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

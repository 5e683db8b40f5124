import { Button, useComputedColorScheme } from '@mantine/core';
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { useEffect, useMemo, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { inOrderOfDrawing } from './drawing-order.ts';
import { toPlotData } from './plot-data.ts';
import { createOptions, type LivePlot } from './plot-options.ts';
import type { ChartMark, SeriesChartProps } from './series.ts';
import classes from './series-chart.module.css';
import { texts } from './texts.tsx';
import { formatExact } from './time.tsx';
import { formatOrGap, ValuesTable } from './values-table.tsx';

const text = texts.seriesPlot;

const zoned = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' });
const NO_MARKS: readonly ChartMark[] = [];

/** Time zone of the axis: `UTC`, `GMT+1`. */
function zoneAt(time: string | undefined): string {
  if (time === undefined) return '';
  const parts = zoned.formatToParts(new Date(time));
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

export function SeriesPlot(props: SeriesChartProps) {
  const { title, times, series, format, height = 160, max } = props;
  const openFrom = props.openFrom ?? times.length;
  const { ref: sizeRef, width } = useElementSize<HTMLDivElement>();
  const box = useRef<HTMLDivElement>(null);
  const ref = useMergedRef(sizeRef, box);
  const scheme = useComputedColorScheme();
  const plot = useRef<uPlot>(null);
  const live = useRef<LivePlot>({ marks: [], onZoom: undefined });
  live.current = { marks: props.marks ?? NO_MARKS, onZoom: props.onZoom };
  const [index, setIndex] = useState<number | null>(null);
  const [isTable, setTable] = useState(false);
  const drawn = useMemo(() => inOrderOfDrawing(series), [series]);
  const data = useMemo(() => toPlotData({ times, drawn, openFrom }), [times, drawn, openFrom]);
  const looks = drawn.map(({ label, color, isEarlier }) => `${label} ${color} ${isEarlier}`).join();

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new plot for other series, sizes or colours; data follow below
  useEffect(() => {
    if (!box.current || width === 0 || isTable) return;
    const options = createOptions({ ...props, width, height, drawn, onIndex: setIndex, live: () => live.current });
    const made = new uPlot(options, data, box.current);
    plot.current = made;
    return () => made.destroy();
  }, [width, height, scheme, looks, max, isTable]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new data are drawn together with new marks
  useEffect(() => plot.current?.setData(data), [data, props.marks]);

  return (
    <figure className={classes.figure} aria-label={title}>
      <figcaption className={classes.head}>
        <Legend {...props} index={index} openFrom={openFrom} />
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

interface LegendProps extends SeriesChartProps {
  /** The step under the pointer. */
  readonly index: number | null;
  /** The first step that is not complete yet. */
  readonly openFrom: number;
}

/** Names the lines. Shows their values and the marks at the pointer, else the last values. */
function Legend({ times, series, format, isCount, hasGaps = false, marks = NO_MARKS, index, openFrom }: LegendProps) {
  const at = index ?? times.length - 1;
  const near = index === null ? [] : findNear(marks, times, index);
  return (
    <span className={classes.legend}>
      {series.map(({ label, color, values, isEarlier }) => (
        <span key={label} className={classes.key}>
          <span className={classes.line} style={{ borderColor: `var(${color})`, opacity: isEarlier ? 0.6 : 1 }} />
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
      {near.map(({ at: when, label }) => (
        <span key={`${when} ${label}`}>▾ {label}</span>
      ))}
      {index === null && openFrom < times.length && <span>{text.plot.dashed}</span>}
      {index === null && hasGaps && <span>{text.plot.gaps}</span>}
    </span>
  );
}

const NEAR_MAX = 3;

/** Returns the marks between the neighbours of a step. */
function findNear(marks: readonly ChartMark[], times: readonly string[], index: number): readonly ChartMark[] {
  const from = times[index - 1] ?? times[index] ?? '';
  const to = times[index + 1] ?? '9999';
  return marks.filter(({ at }) => at > from && at < to).slice(0, NEAR_MAX);
}

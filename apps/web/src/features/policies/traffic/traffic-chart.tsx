import type { ShieldCounters, ShieldSeries } from '@flotilla/contract';
import { Group, Text } from '@mantine/core';
import { useMemo } from 'react';
import { SeriesChart } from '../../../ui/index.ts';
import { toCounted } from './counts.ts';
import { stepWords } from './ranges.ts';
import { texts } from './texts.tsx';

const text = texts.trafficChart;

interface TrafficChartProps {
  readonly series: ShieldSeries;
  readonly title: string;
  readonly height?: number;
}

export function TrafficChart({ series, title, height = 170 }: TrafficChartProps) {
  const counted = useMemo(() => toCounted(series), [series]);
  const lines = useMemo(
    () => [
      { label: text.lines.blocked, color: '--f-bad' as const, values: counted.blocked },
      { label: text.lines.detected, color: '--f-warn' as const, values: counted.detected },
      { label: text.lines.allowed, color: '--f-good' as const, values: counted.allowed },
    ],
    [counted],
  );
  return (
    <SeriesChart
      title={`${title}, ${stepWords(series.step_s)}`}
      times={counted.times}
      series={lines}
      format={formatCount}
      height={height}
      isCount
      openFrom={counted.openFrom}
      hasGaps={counted.hasGaps}
    />
  );
}

/** Explains requests that are missing or in the wrong minute. Renders nothing if there are none. */
export function Unplaced({ unplaced }: { unplaced: ShieldSeries['unplaced'] }) {
  if (unplaced.dropped === 0 && unplaced.clock_off === 0) return null;
  return (
    <Text c="dimmed">
      {unplaced.dropped > 0 && <>{text.unplaced.dropped(formatCount(unplaced.dropped))} </>}
      {unplaced.clock_off > 0 && text.unplaced.clockOff(formatCount(unplaced.clock_off))}
    </Text>
  );
}

export function Totals({ totals }: { totals: ShieldCounters['totals'] }) {
  return (
    <Group gap="4px 18px" align="baseline">
      <span>{text.totals.blocked(<Figure count={totals.blocked} />)}</span>
      <span>{text.totals.detected(<Figure count={totals.detected} />)}</span>
      <span>{text.totals.allowed(<Figure count={totals.allowed} />)}</span>
      {totals.errors > 0 && <span>{text.totals.engineFailed(<Figure count={totals.errors} />)}</span>}
    </Group>
  );
}

function Figure({ count }: { count: number }) {
  return (
    <Text component="strong" fz="1.125rem" fw={600} style={{ fontVariantNumeric: 'tabular-nums' }}>
      {formatCount(count)}
    </Text>
  );
}

export function formatCount(count: number): string {
  return Math.round(count).toLocaleString();
}

import type { ShieldCounters, ShieldSeries } from '@flotilla/contract';
import { useMemo } from 'react';
import { texts } from '../../../texts/index.ts';
import { SeriesChart } from '../../../ui/index.ts';
import classes from '../policies.module.css';
import { toCounted } from './counts.ts';
import { stepWords } from './ranges.ts';

const text = texts.policies.traffic.trafficChart;

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

/** Notes about requests that are missing or in the wrong minute, if there are any. */
export function Unplaced({ unplaced }: { unplaced: ShieldSeries['unplaced'] }) {
  if (unplaced.dropped === 0 && unplaced.clock_off === 0) return null;
  return (
    <p className={classes.dimmed}>
      {unplaced.dropped > 0 && <>{text.unplaced.dropped(formatCount(unplaced.dropped))} </>}
      {unplaced.clock_off > 0 && text.unplaced.clockOff(formatCount(unplaced.clock_off))}
    </p>
  );
}

export function Totals({ totals }: { totals: ShieldCounters['totals'] }) {
  return (
    <div className={classes.totals}>
      <span className={classes.total}>{text.totals.blocked(<strong>{formatCount(totals.blocked)}</strong>)}</span>
      <span className={classes.total}>{text.totals.detected(<strong>{formatCount(totals.detected)}</strong>)}</span>
      <span className={classes.total}>{text.totals.allowed(<strong>{formatCount(totals.allowed)}</strong>)}</span>
      {totals.errors > 0 && (
        <span className={classes.total}>{text.totals.engineFailed(<strong>{formatCount(totals.errors)}</strong>)}</span>
      )}
    </div>
  );
}

export function formatCount(count: number): string {
  return Math.round(count).toLocaleString();
}

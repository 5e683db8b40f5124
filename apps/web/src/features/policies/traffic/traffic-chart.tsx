import type { ShieldCounters, ShieldSeries } from '@flotilla/contract';
import { useMemo } from 'react';
import { SeriesChart } from '../../../ui/index.ts';
import classes from '../policies.module.css';
import { toCounted } from './counts.ts';
import { stepWords } from './ranges.ts';

interface TrafficChartProps {
  readonly series: ShieldSeries;
  readonly title: string;
  readonly height?: number;
}

export function TrafficChart({ series, title, height = 170 }: TrafficChartProps) {
  const counted = useMemo(() => toCounted(series), [series]);
  const lines = useMemo(
    () => [
      { label: 'Blocked', color: '--f-bad' as const, values: counted.blocked },
      { label: 'Detected', color: '--f-warn' as const, values: counted.detected },
      { label: 'Allowed', color: '--f-good' as const, values: counted.allowed },
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
    />
  );
}

export function Totals({ totals }: { totals: ShieldCounters['totals'] }) {
  return (
    <div className={classes.totals}>
      <span className={classes.total}>
        <strong>{formatCount(totals.blocked)}</strong> blocked
      </span>
      <span className={classes.total}>
        <strong>{formatCount(totals.detected)}</strong> detected
      </span>
      <span className={classes.total}>
        <strong>{formatCount(totals.allowed)}</strong> allowed
      </span>
      {totals.errors > 0 && (
        <span className={classes.total}>
          <strong>{formatCount(totals.errors)}</strong> times an engine failed
        </span>
      )}
    </div>
  );
}

export function formatCount(count: number): string {
  return Math.round(count).toLocaleString();
}

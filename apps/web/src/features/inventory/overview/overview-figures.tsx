import type { TrafficOverview } from '@flotilla/contract';
import { formatPercent } from '../charts/parts-bar.tsx';
import { currentRate, formatRate } from '../charts/traffic-lines.ts';
import { Figure } from '../figure.tsx';
import classes from '../inventory.module.css';
import { formatLatency } from '../looks.ts';
import { texts as shared } from '../texts.tsx';
import { texts } from './texts.tsx';

const text = texts.figures;

/** The sums of the range, each with its value in the equally long time before. */
export function OverviewFigures({ overview, now }: { overview: TrafficOverview; now: number }) {
  const { totals, previous } = overview;
  const current = currentRate({ ...overview, now });
  const before = (read: (sums: typeof totals) => string) =>
    previous === null ? undefined : text.before(read(previous));
  const number = (value: number | null) => (value === null ? shared.unknown : Math.round(value).toLocaleString('en'));
  return (
    <dl className={classes.figures} aria-label={text.title}>
      <Figure name={text.rate} note={current === undefined ? text.average : text.ofLastMinute}>
        {formatRate(current ?? overview.requests_per_s)}
      </Figure>
      <Figure name={text.requests} note={before(({ requests }) => number(requests))}>
        {number(totals.requests)}
      </Figure>
      <Figure name={text.errors} note={before(({ server_error_share: share }) => formatPercent(share))}>
        <span className={classes.errors} data-tone={totals.server_errors > 0 ? 'bad' : undefined}>
          {formatPercent(totals.server_error_share)}
        </span>
      </Figure>
      <Figure name={text.clientErrors} note={before(({ client_error_share: share }) => formatPercent(share))}>
        {formatPercent(totals.client_error_share)}
      </Figure>
      <Figure name={text.latency} note={text.percentiles(formatLatency(totals.p50_ms), formatLatency(totals.p99_ms))}>
        {formatLatency(totals.p95_ms)}
      </Figure>
      <Figure name={text.blocked} note={before(({ blocked }) => number(blocked))}>
        {number(totals.blocked)}
      </Figure>
      <Figure
        name={text.consumers}
        note={overview.unique_sources === null ? undefined : text.sources(Math.round(overview.unique_sources))}
      >
        {number(overview.unique_consumers)}
      </Figure>
    </dl>
  );
}

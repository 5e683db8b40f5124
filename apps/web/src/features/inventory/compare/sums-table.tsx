import type { TrafficComparedRange, TrafficComparison } from '@flotilla/contract';
import { formatBytes, type PlainColumn, PlainTable, Section } from '../../../ui/index.ts';
import { formatPercent } from '../charts/parts-bar.tsx';
import { formatRate } from '../charts/traffic-lines.ts';
import classes from '../inventory.module.css';
import { formatLatency } from '../looks.ts';
import { texts as shared } from '../texts.tsx';
import { changeOf, formatChange } from './spans.ts';
import { texts } from './texts.tsx';

const text = texts.rows;

type Read = (range: TrafficComparedRange) => number | null;

interface Row {
  readonly name: string;
  readonly read: Read;
  readonly format: (value: number) => string;
  /** Shares change by points, not by percent of themselves. */
  readonly isShare?: true;
  /** More of it is worse. */
  readonly isBad?: true;
}

const whole = (value: number) => Math.round(value).toLocaleString('en');

const ROWS: readonly Row[] = [
  { name: text.requests, read: ({ totals }) => totals?.requests ?? null, format: whole },
  { name: text.rate, read: ({ requests_per_s: rate }) => rate, format: formatRate },
  {
    name: text.server,
    read: ({ totals }) => totals?.server_error_share ?? null,
    format: formatPercent,
    isShare: true,
    isBad: true,
  },
  { name: text.client, read: ({ totals }) => totals?.client_error_share ?? null, format: formatPercent, isShare: true },
  { name: text.p50, read: ({ totals }) => totals?.p50_ms ?? null, format: formatLatency, isBad: true },
  { name: text.p95, read: ({ totals }) => totals?.p95_ms ?? null, format: formatLatency, isBad: true },
  { name: text.p99, read: ({ totals }) => totals?.p99_ms ?? null, format: formatLatency, isBad: true },
  { name: text.blocked, read: ({ totals }) => totals?.blocked ?? null, format: whole },
  { name: text.bytes, read: ({ totals }) => totals?.response_bytes ?? null, format: formatBytes },
];

/** The sums of both ranges. A range that was not read has no numbers. */
export function SumsTable({ comparison: { range, base } }: { comparison: TrafficComparison }) {
  return (
    <Section title={texts.sums}>
      <p className={classes.dim}>{texts.range(nameRange(range))}</p>
      <p className={classes.dim}>{texts.base(nameRange(base))}</p>
      <PlainTable name={texts.sums} rows={ROWS} columns={listColumns(range, base)} rowId={({ name }) => name} />
    </Section>
  );
}

const minutes = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'short',
});

/** In the reader's time zone. */
export function nameRange({ from, to }: TrafficComparedRange): string {
  return minutes.formatRange(new Date(from), new Date(to));
}

function listColumns(range: TrafficComparedRange, base: TrafficComparedRange): readonly PlainColumn<Row>[] {
  const value = (side: TrafficComparedRange) => (row: Row) => {
    const read = row.read(side);
    return read === null ? shared.unknown : row.format(read);
  };
  return [
    { id: 'sum', header: texts.columns.sum, isNarrow: true, cell: ({ name }) => name },
    { id: 'now', header: texts.columns.now, align: 'right', isNarrow: true, cell: value(range) },
    { id: 'base', header: texts.columns.base, align: 'right', isNarrow: true, cell: value(base) },
    {
      id: 'change',
      header: texts.columns.change,
      align: 'right',
      isNarrow: true,
      cell: (row) => <Change row={row} now={row.read(range)} base={row.read(base)} />,
    },
  ];
}

/** From here on a change for the worse stands out. */
const NOTABLE = 0.1;
const NOTABLE_POINTS = 0.005;
/** Would be shown as zero. */
const SAME_POINTS = 0.00005;

function Change({ row, now, base }: { row: Row; now: number | null; base: number | null }) {
  if (row.isShare) {
    if (now === null || base === null) return shared.unknown;
    const points = now - base;
    if (Math.abs(points) < SAME_POINTS) return texts.same;
    const sign = points > 0 ? '+' : points < 0 ? '−' : '';
    const isWorse = row.isBad === true && points >= NOTABLE_POINTS;
    return (
      <span className={classes.errors} data-tone={isWorse ? 'bad' : undefined}>
        {texts.points(`${sign}${Math.abs(points * 100).toFixed(2)}`)}
      </span>
    );
  }
  const change = changeOf(now, base);
  if (change === undefined) return shared.unknown;
  return (
    <span className={classes.errors} data-tone={row.isBad === true && change >= NOTABLE ? 'bad' : undefined}>
      {formatChange(change)}
    </span>
  );
}

import type { TrafficChange, TrafficChanges } from '@flotilla/contract';
import type { ReactNode } from 'react';
import { type PlainColumn, PlainTable, Section, State } from '../../../ui/index.ts';
import classes from '../inventory.module.css';
import { formatLatency } from '../looks.ts';
import { ErrorRate } from '../operation-cells.tsx';
import { texts as shared } from '../texts.tsx';
import { changeOf, formatChange } from './spans.ts';
import { texts } from './texts.tsx';

const text = texts.list;

interface ChangeListProps {
  readonly words: { readonly title: string; readonly name: string };
  readonly changes: TrafficChanges;
  /** Seconds of both ranges, to compare rates. */
  readonly lengths: { readonly now: number; readonly base: number };
  readonly name: (change: TrafficChange) => ReactNode;
}

/** Lists the values that are new, gone or different, the largest difference first. */
export function ChangeList({ words, changes, lengths, name }: ChangeListProps) {
  const { items, new_count: created, gone_count: gone, truncated } = changes;
  return (
    <Section title={words.title}>
      <p className={classes.dim}>{text.counts(created, gone)}</p>
      {items.length === 0 ? (
        <p className={classes.dim}>{text.none}</p>
      ) : (
        <PlainTable
          name={words.title}
          rows={items}
          columns={listColumns(words.name, lengths, name)}
          rowId={({ value }) => value}
        />
      )}
      {truncated && <p className={classes.dim}>{text.truncated}</p>}
    </Section>
  );
}

function listColumns(
  header: string,
  lengths: ChangeListProps['lengths'],
  name: ChangeListProps['name'],
): readonly PlainColumn<TrafficChange>[] {
  const requests = (sums: TrafficChange['now']) =>
    sums === null ? shared.unknown : Math.round(sums.requests).toLocaleString('en');
  const errors = (sums: TrafficChange['now']) =>
    sums === null || sums.server_error_share === null ? shared.unknown : <ErrorRate rate={sums.server_error_share} />;
  return [
    { id: 'name', header, isNarrow: true, cell: name },
    {
      id: 'change',
      header: text.change,
      isNarrow: true,
      cell: (row) => <ChangeWord change={row} lengths={lengths} />,
    },
    { id: 'now', header: text.now, align: 'right', isNarrow: true, cell: ({ now }) => requests(now) },
    { id: 'base', header: text.base, align: 'right', cell: ({ base }) => requests(base) },
    { id: 'errors', header: text.errors, align: 'right', cell: ({ now }) => errors(now) },
    { id: 'baseErrors', header: text.baseErrors, align: 'right', cell: ({ base }) => errors(base) },
    {
      id: 'latency',
      header: text.latency,
      align: 'right',
      cell: ({ now, base }) => formatLatency((now ?? base)?.latency_avg_ms ?? null),
    },
  ];
}

function ChangeWord({ change, lengths }: { change: TrafficChange; lengths: ChangeListProps['lengths'] }) {
  if (change.change === 'new') return <State word={texts.change.new} tone="good" shape="full" />;
  if (change.change === 'gone') return <State word={texts.change.gone} tone="warn" shape="ring" />;
  const [now, base] = [(change.now?.requests ?? 0) / lengths.now, (change.base?.requests ?? 0) / lengths.base];
  return <span className={classes.errors}>{formatChange(changeOf(now, base) ?? 0)}</span>;
}

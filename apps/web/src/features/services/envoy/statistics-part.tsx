import { type EnvoyStat, readEnvoyStats } from '@flotilla/contract';
import { Button, SegmentedControl } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useUrlState } from '../../../app/url-state.ts';
import { Empty, type PlainColumn, PlainTable } from '../../../ui/index.ts';
import classes from '../service.module.css';
import { Answer } from './answer.tsx';
import { MatchBar, RowsEnd, useMatchedRows } from './matched-rows.tsx';
import { formatRate, type StatRow, sortStatRows } from './stat-rates.ts';
import { texts } from './texts.tsx';
import { type EnvoyPlace, useProxy } from './use-proxy.ts';
import { useStatRows } from './use-stat-samples.ts';

const text = texts.statistics;
const EVERY_MS = 5000;

type Kind = 'counters' | 'gauges';

const NAME: PlainColumn<StatRow> = {
  id: 'name',
  header: text.name,
  isNarrow: true,
  cell: ({ name }) => <bdi className="mono">{name}</bdi>,
};
const VALUE: PlainColumn<StatRow> = {
  id: 'value',
  header: text.value,
  align: 'right',
  isNarrow: true,
  cell: ({ value }) => value.toLocaleString('en'),
};
const RATE: PlainColumn<StatRow> = {
  id: 'rate',
  header: text.rate,
  align: 'right',
  isNarrow: true,
  cell: ({ rate }) => (rate === null ? text.noRate : formatRate(rate)),
};
const COLUMNS: Readonly<Record<Kind, readonly PlainColumn<StatRow>[]>> = {
  counters: [NAME, VALUE, RATE],
  gauges: [NAME, VALUE],
};

/** The statistics that this Envoy has used, read again until they are paused (`?kind=&by=&match=&paused=`). */
export function StatisticsPart({ place }: { place: EnvoyPlace }) {
  const url = useUrlState();
  const kind: Kind = url.get('kind') === 'gauges' ? 'gauges' : 'counters';
  const isPaused = url.get('paused') !== undefined;
  const queries = { usedonly: 'true', type: kind === 'gauges' ? 'Gauges' : 'Counters' };
  const query = useProxy(place, { path: '/stats', queries }, { everyMs: !isPaused && EVERY_MS });
  return (
    <>
      <Controls kind={kind} isPaused={isPaused} />
      <Answer query={query} what={text.what} read={readEnvoyStats} skeleton={14}>
        {(stats) =>
          stats.length === 0 ? (
            <Empty title={text.emptyTitle}>{text.empty}</Empty>
          ) : (
            <Statistics key={kind} stats={stats} atMs={query.dataUpdatedAt} kind={kind} isPaused={isPaused} />
          )
        }
      </Answer>
    </>
  );
}

function Controls({ kind, isPaused }: { kind: Kind; isPaused: boolean }) {
  const url = useUrlState();
  return (
    <div className={classes.bar}>
      <SegmentedControl
        size="xs"
        aria-label={text.kind}
        data={[
          { value: 'counters', label: text.counters },
          { value: 'gauges', label: text.gauges },
        ]}
        value={kind}
        onChange={(next) => url.set({ kind: next === 'counters' ? undefined : next, by: undefined })}
      />
      {kind === 'counters' && (
        <SegmentedControl
          size="xs"
          aria-label={text.order}
          data={[
            { value: 'name', label: text.byName },
            { value: 'rate', label: text.byRate },
          ]}
          value={url.get('by') === 'rate' ? 'rate' : 'name'}
          onChange={(by) => url.set({ by: by === 'name' ? undefined : by })}
        />
      )}
      <Button
        variant="default"
        size="xs"
        leftSection={isPaused ? <IconPlayerPlay size={14} /> : <IconPlayerPause size={14} />}
        onClick={() => url.set({ paused: isPaused ? undefined : '1' })}
      >
        {isPaused ? text.resume : text.pause}
      </Button>
    </div>
  );
}

interface StatisticsProps {
  readonly stats: readonly EnvoyStat[];
  readonly atMs: number;
  readonly kind: Kind;
  readonly isPaused: boolean;
}

function Statistics({ stats, atMs, kind, isPaused }: StatisticsProps) {
  const order = useUrlState().get('by') === 'rate' ? 'rate' : 'name';
  const rows = useStatRows(stats, atMs);
  const { match, matching, shown } = useMatchedRows(sortStatRows(rows, order), ({ name }) => name);
  const status = `${text.shown(matching.length, rows.length)}, ${isPaused ? text.paused : text.live}`;
  return (
    <>
      <MatchBar label={text.match} status={status} />
      {shown.length > 0 && (
        <PlainTable name={text.list} rows={shown} columns={COLUMNS[kind]} rowId={({ name }) => name} />
      )}
      <RowsEnd match={match} shown={shown.length} left={matching.length - shown.length} />
    </>
  );
}

import type { StorageStats } from '@flotilla/contract';
import { routes, useApi } from '../../api/index.ts';
import { Facts, formatBytes, Notice, type PlainColumn, PlainTable, RecordPage, Section, Time } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { texts } from './texts.ts';

const text = texts;
type Table = StorageStats['database']['tables'][number];

const WARN_DAYS = 14;
const REFRESH_MS = 60_000;
const TABLES_SHOWN = 30;

export function StoragePage() {
  const stats = useApi(routes.storage.stats, {}, { refetchEveryMs: () => REFRESH_MS });
  return (
    <RecordPage words={text} query={stats}>
      {({ body }) => (
        <>
          <NearlyFull stats={body} />
          <StorageFacts stats={body} />
          <Section title={text.tables}>
            <PlainTable
              name={text.tables}
              rows={body.database.tables.slice(0, TABLES_SHOWN)}
              columns={listColumns(body.database.total_bytes)}
              rowId={({ name }) => name}
            />
          </Section>
        </>
      )}
    </RecordPage>
  );
}

function NearlyFull({ stats: { growth } }: { stats: StorageStats }) {
  const days = growth?.days_until_full;
  if (days === undefined || days === null || days > WARN_DAYS) return null;
  return (
    <Notice tone="warn" title={text.full.title}>
      {text.full.soon(text.days(days))} {text.full.text}
    </Notice>
  );
}

function StorageFacts({ stats: { database, disk, growth, generated_at } }: { stats: StorageStats }) {
  return (
    <>
      <Facts
        facts={[
          [text.facts.database, formatBytes(database.total_bytes)],
          [text.facts.data, formatBytes(database.data_bytes)],
          [text.facts.indexes, formatBytes(database.index_bytes)],
          [text.facts.free, disk ? text.of(formatBytes(disk.free_bytes), formatBytes(disk.total_bytes)) : undefined],
          [text.facts.perDay, growth ? formatBytes(growth.per_day_bytes) : undefined],
          [text.facts.perWeek, growth ? formatBytes(growth.projected_7d_bytes) : undefined],
          [text.facts.until, growth ? describeFull(growth, disk) : undefined],
          [text.facts.measured, <Time key="at" at={generated_at} />],
        ]}
      />
      {!growth && <p className={layout.note}>{text.full.tooEarly}</p>}
      {!disk && <p className={layout.note}>{text.full.unknownDisk}</p>}
    </>
  );
}

function describeFull(growth: NonNullable<StorageStats['growth']>, disk: StorageStats['disk']) {
  if (growth.days_until_full !== null) return text.days(growth.days_until_full);
  return disk ? text.full.never : undefined;
}

function listColumns(total: number): readonly PlainColumn<Table>[] {
  return [
    { id: 'name', header: text.table, isNarrow: true, cell: ({ name }) => <span className="mono">{name}</span> },
    { id: 'size', header: text.size, align: 'right', isNarrow: true, cell: ({ bytes }) => formatBytes(bytes) },
    { id: 'share', header: text.share, align: 'right', isNarrow: true, cell: ({ bytes }) => formatShare(bytes, total) },
    {
      id: 'rows',
      header: text.rows,
      align: 'right',
      cell: ({ rows }) => (rows === null ? '–' : rows.toLocaleString('en')),
    },
  ];
}

function formatShare(bytes: number, total: number): string {
  return total > 0 ? `${((bytes / total) * 100).toFixed(1)} %` : '–';
}

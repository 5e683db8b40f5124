import type { StorageStats } from '@flotilla/contract';
import { routes, useApi } from '../../api/index.ts';
import { texts } from '../../texts/index.ts';
import { Facts, formatBytes, Loaded, Notice, Page, Section, Time } from '../../ui/index.ts';
import classes from './storage.module.css';

const text = texts.storage;
const WARN_DAYS = 14;
const REFRESH_MS = 60_000;
const TABLES_SHOWN = 30;

export function StoragePage() {
  const stats = useApi(routes.storage.stats, {}, { refetchEveryMs: () => REFRESH_MS });
  return (
    <Page title={text.title} lead={text.lead}>
      <Loaded query={stats} what={text.what}>
        {({ body }) => (
          <>
            <NearlyFull stats={body} />
            <StorageFacts stats={body} />
            <Section title={text.tables} isPanel>
              <Tables stats={body} />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
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
      {!growth && <p className={classes.note}>{text.full.tooEarly}</p>}
      {!disk && <p className={classes.note}>{text.full.unknownDisk}</p>}
    </>
  );
}

function describeFull(growth: NonNullable<StorageStats['growth']>, disk: StorageStats['disk']) {
  if (growth.days_until_full !== null) return text.days(growth.days_until_full);
  return disk ? text.full.never : undefined;
}

function Tables({ stats: { database } }: { stats: StorageStats }) {
  return (
    <table className={classes.tables}>
      <thead>
        <tr>
          <th scope="col">{text.table}</th>
          <th scope="col">{text.size}</th>
          <th scope="col">{text.share}</th>
          <th scope="col">{text.rows}</th>
        </tr>
      </thead>
      <tbody>
        {database.tables.slice(0, TABLES_SHOWN).map(({ name, bytes, rows }) => (
          <tr key={name}>
            <th scope="row" className="mono">
              {name}
            </th>
            <td>{formatBytes(bytes)}</td>
            <td>{formatShare(bytes, database.total_bytes)}</td>
            <td>{rows === null ? '–' : rows.toLocaleString('en')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function formatShare(bytes: number, total: number): string {
  return total > 0 ? `${((bytes / total) * 100).toFixed(1)} %` : '–';
}

import { join } from 'node:path';
import { err, ok, type Result } from '@flotilla/kit';

/** Where request events are stored: in a file of this controller, in a ClickHouse server, or not at all. */
export type EventStoreChoice =
  | { readonly kind: 'off' }
  | { readonly kind: 'duckdb'; readonly path: string }
  | {
      readonly kind: 'clickhouse';
      readonly url: string;
      readonly username: string;
      readonly password: string;
      readonly database: string;
    };

const USAGE =
  'SVC_EVENT_STORE must be off, or an address such as clickhouse://user:password@clickhouse.example.com:8123/flotilla (clickhouses:// for TLS)';
const PORT = { 'clickhouse:': '8123', 'clickhouses:': '8443' } as const;

/** Without a text: the file `events.duckdb` in the data folder. Complaints do not contain the text, because it may hold a password. */
export function parseEventStore(text: string | undefined, dataDir: string): Result<EventStoreChoice, string> {
  if (text === undefined || text === '') return ok({ kind: 'duckdb', path: join(dataDir, 'events.duckdb') });
  if (text === 'off') return ok({ kind: 'off' });
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'clickhouse:' && url.protocol !== 'clickhouses:')) return err(USAGE);
  const database = url.pathname.slice(1) || 'flotilla';
  if (url.hostname === '' || !/^\w{1,64}$/.test(database) || url.search !== '' || url.hash !== '') return err(USAGE);
  const scheme = url.protocol === 'clickhouses:' ? 'https' : 'http';
  try {
    return ok({
      kind: 'clickhouse',
      url: `${scheme}://${url.hostname}:${url.port || PORT[url.protocol]}`,
      username: decodeURIComponent(url.username) || 'default',
      password: decodeURIComponent(url.password),
      database,
    });
  } catch {
    return err(USAGE);
  }
}

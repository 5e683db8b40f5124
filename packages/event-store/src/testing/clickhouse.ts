import { createRequire } from 'node:module';
import { type ClickHouseClient, createClient } from '@clickhouse/client';

/** Where `scripts/clickhouse.mjs` installs ClickHouse, outside of the lock file of the repository. */
const fromItsFolder = createRequire(new URL('../../clickhouse-test/package.json', import.meta.url));

/** A client of ClickHouse in this process: the client, its SQL and its inserts are those of production, only the wire is not. */
export function connectInProcess(path: string): ClickHouseClient {
  // Its types come from another package of the same client.
  return createClient({ connection: loadConnections().createChdbConnection({ path }) as never });
}

interface Connections {
  readonly createChdbConnection: (options: { readonly path: string }) => unknown;
}

function loadConnections(): Connections {
  try {
    return fromItsFolder('chdb/connection') as Connections;
  } catch (cause) {
    throw new Error('ClickHouse is not here: node scripts/clickhouse.mjs installs it, as npm test does.', { cause });
  }
}

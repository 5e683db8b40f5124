// ClickHouse in a process, which the event store is tested and measured with. It has 546 MB, so it has a lock file of its own that
// only tests install: `node scripts/clickhouse.mjs`. Its package has no scripts that it needs; digests are those of the lock file.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installLocked, ROOT } from './setup.mjs';

/** Installs it where it has a binary. Where that fails, the tests that need it fail. */
export function ensureClickHouse() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return;
  const folder = join(ROOT, 'packages', 'event-store', 'clickhouse-test');
  if (!installLocked(folder, 'ClickHouse for the tests (546 MB)')) {
    console.error('npm could not install ClickHouse; its tests will fail. See the message above.');
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) ensureClickHouse();

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listMigrations } from '@flotilla/db';
import { createLogger, Lifecycle } from '@flotilla/kit';
import { createEmptyDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { parseConfig } from '../../platform/config.ts';
import { openOwnDatabase } from '../../platform/database/open.ts';
import { toUrl } from '../../platform/presence/testing/process.ts';
import { OLD_INSTALLATIONS, readDump } from './installations.ts';

it.each(OLD_INSTALLATIONS)(
  'two starts at once on a database of $last announce the pending migrations, and one of them reports what it did',
  async (old) => {
    const database = await createEmptyDatabase();
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-starts-'));
    const lifecycle = new Lifecycle();
    try {
      await sql.raw(await readDump(old)).execute(database.owner);
      const url = toUrl(database.server.connection(database.name));
      const config = parseConfig(['--data', folder], { SVC_DATABASE_URL: url });
      if (!config.ok) throw new Error(config.error);
      const log = join(folder, 'log');
      const logger = createLogger({ name: 'test', destination: log });
      await Promise.all([1, 2].map(() => openOwnDatabase({ config: config.value, logger, lifecycle })));
      await expect.poll(() => readFile(log, 'utf8')).toContain('database.migrated');
      const lines = (await readFile(log, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const ahead = listMigrations().filter((name) => name > old.last);
      const begun = { from: old.last, to: ahead.at(-1), migrations: ahead.length };
      expect(lines.filter(({ msg }) => msg === 'database.migrating')[0]).toMatchObject(begun);
      expect(lines.filter(({ msg }) => msg === 'database.migrated')).toEqual([
        expect.objectContaining({ migrations: ahead, ms: expect.any(Number) }),
      ]);
    } finally {
      await lifecycle.close();
      await database.close();
      await rm(folder, { recursive: true });
    }
  },
);

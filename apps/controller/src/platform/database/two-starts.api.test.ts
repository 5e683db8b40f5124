import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listMigrations } from '@flotilla/db';
import { createLogger, Lifecycle } from '@flotilla/kit';
import { createEmptyDatabase } from '@flotilla/testkit';
import { expect, it } from 'vitest';
import { FEATURES } from '../../features.ts';
import { parseConfig } from '../config.ts';
import { mergeMigrations } from '../features/index.ts';
import { toUrl } from '../presence/testing/process.ts';
import { openOwnDatabase } from './open.ts';

it('two starts at once on an empty database announce the pending migrations, and one of them reports what it did', async () => {
  const database = await createEmptyDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-starts-'));
  const lifecycle = new Lifecycle();
  try {
    const url = toUrl(database.server.connection(database.name));
    const config = parseConfig(['--data', folder], { SVC_DATABASE_URL: url });
    if (!config.ok) throw new Error(config.error);
    const log = join(folder, 'log');
    const logger = createLogger({ name: 'test', destination: log });
    await Promise.all(
      [1, 2].map(() => openOwnDatabase({ config: config.value, features: FEATURES, logger, lifecycle })),
    );
    await expect.poll(() => readFile(log, 'utf8')).toContain('database.migrated');
    const lines = (await readFile(log, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const all = listMigrations(mergeMigrations(FEATURES));
    const begun = { from: null, to: all.at(-1), migrations: all.length };
    expect(lines.filter(({ msg }) => msg === 'database.migrating')[0]).toMatchObject(begun);
    expect(lines.filter(({ msg }) => msg === 'database.migrated')).toEqual([
      expect.objectContaining({ migrations: all, ms: expect.any(Number) }),
    ]);
  } finally {
    await lifecycle.close();
    await database.close();
    await rm(folder, { recursive: true });
  }
});

import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedServer, migrateToLatest, openDatabase } from '@flotilla/db';
import { createSilentLogger } from '@flotilla/kit';
import { expect, it, vi } from 'vitest';
import { composeController } from '../../compose.ts';
import { FEATURES } from '../../features.ts';
import { parseConfig } from '../config.ts';
import { mergeMigrations } from '../features/index.ts';

it('the controller answers 503 while the database is killed, recovers by itself, and has everything that it acknowledged', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'flotilla-outage-'));
  // If the tests run as root, the server runs as another user, who needs access to the folder.
  await chmod(dataDir, 0o711);
  const logger = createSilentLogger();
  const server = await EmbeddedServer.open({ dataDir: join(dataDir, 'database'), logger });
  await server.createDatabaseIfMissing('flotilla');
  const owner = openDatabase(server.connection('flotilla'), logger);
  await migrateToLatest(owner.db, { ofFeatures: mergeMigrations(FEATURES) });
  await owner.close();
  const database = openDatabase(server.appConnection('flotilla'), logger);
  const config = parseConfig(['--data', dataDir, '--port', '0', '--grpc-port', '0'], {});
  if (!config.ok) throw new Error(config.error);
  const { app, firstOwner, close } = await composeController({ config: config.value, logger, database, rateFactor: 0 });
  try {
    const login = await app.inject({
      method: 'POST',
      url: '/auth/login',
      payload: { username: firstOwner?.username, password: firstOwner?.password },
    });
    const headers = { authorization: `Bearer ${login.json().access_token}` };
    const create = (name: string) =>
      app.inject({ method: 'POST', url: '/api/v3/setting/projects', headers, payload: { name, starters: [] } });

    const acknowledged: string[] = [];
    const refusals = new Set<string>();
    let isKilled = false;
    const writing = (async () => {
      for (let i = 0; i < 2000 && !(isKilled && acknowledged.at(-1) === `after-${i - 1}`); i += 1) {
        const name = `${refusals.size > 0 ? 'after' : 'before'}-${i}`;
        const answer = await create(name);
        if (answer.statusCode === 201) acknowledged.push(name);
        else refusals.add(`${answer.statusCode} ${answer.json().code} ${answer.headers['retry-after']}`);
      }
    })();
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(20));
    const pid = await server.pid();
    process.kill(pid ?? 0, 'SIGKILL');
    isKilled = true;
    await writing;

    expect([...refusals]).toEqual(['503 service.unavailable 1']);
    expect(acknowledged.at(-1)).toMatch(/^after-/);
    const rows = await database.db.selectFrom('projects').select('name').execute();
    const stored = new Set(rows.map(({ name }) => name));
    expect(acknowledged.filter((name) => !stored.has(name))).toEqual([]);
    expect((await app.inject({ url: '/readyz' })).statusCode).toBe(200);
  } finally {
    await close();
    await database.close();
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}, 120_000);

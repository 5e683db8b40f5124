import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runController } from './main.ts';
import { toUrl } from './platform/presence/testing/process.ts';
import { createControllerDatabase } from './testing/database.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-start-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Returns the exit code and the text on standard error. */
async function run(
  env: NodeJS.ProcessEnv,
  { dataDir = folder, more = [] }: { dataDir?: string; more?: readonly string[] } = {},
): Promise<{ code: number; said: unknown }> {
  const stderr = new PassThrough();
  const { signal } = new AbortController();
  const argv = ['--data', dataDir, '--log-level', 'fatal', '--port', '0', ...more];
  const code = await runController(argv, { env, stdout: new PassThrough(), stderr, signal });
  return { code, said: String(stderr.read()) };
}

describe('a controller that cannot start prints one line with the reason and exits', () => {
  it('if the data folder is a file', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    const { code, said } = await run({}, { dataDir: file });
    expect(said).toMatch(/^flotilla controller: it cannot start: .*EEXIST.*file.*\n$/);
    expect(code).toBe(1);
  });

  it.runIf(process.platform === 'linux')('if the data folder cannot be created', async () => {
    const { code, said } = await run({}, { dataDir: '/proc/flotilla' });
    expect(said).toBe('flotilla controller: it cannot start: no folder can be made in /proc\n');
    expect(code).toBe(1);
  });

  it.each([[[]], [['--restore', 'backup', '--trust-key', 'key']]])(
    'if nothing listens at the address of the database: %j',
    async (more) => {
      const { code, said } = await run({ SVC_DATABASE_URL: 'postgres://nobody@localhost:1/none' }, { more });
      expect(said).toMatch(/^flotilla controller: it cannot start: .*ECONNREFUSED 127\.0\.0\.1:1.*\n$/);
      expect(code).toBe(1);
    },
  );

  it('if another version has migrated the database', async () => {
    const database = await createControllerDatabase();
    try {
      await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '2126-11-22T00:00:00Z')`.execute(
        database.owner,
      );
      const url = toUrl(database.server.connection(database.name));
      const { code, said } = await run({ SVC_DATABASE_URL: url });
      expect(said).toMatch(
        /^flotilla controller: it cannot start: another version of Flotilla has migrated the database: .*9999-later.*Start that version again.*\n$/,
      );
      expect(code).toBe(1);
    } finally {
      await database.close();
    }
  });

  it('if the port for agents is in use', async () => {
    const database = await createControllerDatabase();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    try {
      const url = toUrl(database.server.connection(database.name));
      const { code, said } = await run({ SVC_DATABASE_URL: url, SVC_GRPC_PORT: String(port) });
      expect(said).toMatch(new RegExp(`^flotilla controller: it cannot start: .*EADDRINUSE.*:${port}\n$`));
      expect(code).toBe(1);
    } finally {
      other.close();
      await database.close();
    }
  });
});

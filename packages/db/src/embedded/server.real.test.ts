import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSilentLogger } from '@flotilla/kit';
import pg from 'pg';
import { expect, it } from 'vitest';
import { deriveServerUser } from './binaries.ts';
import { prepareHome } from './home.ts';
import { EmbeddedServer } from './server.ts';

const logger = createSilentLogger();

async function withFolder(mode: number, work: (dataDir: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-embedded-'));
  await chmod(folder, mode);
  await mkdir(join(folder, 'data'));
  try {
    await work(join(folder, 'data'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(server: EmbeddedServer, text: string): Promise<unknown[]> {
  const client = new pg.Client(server.connection('postgres'));
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

it('stays up until the last of several handles in one process is closed', () =>
  withFolder(0o711, async (dataDir) => {
    const first = await EmbeddedServer.open({ dataDir, logger, durable: false });
    const second = await EmbeddedServer.open({ dataDir, logger, durable: false });
    expect(await second.pid()).toBe(await first.pid());
    await second.close();
    expect(await run(first, 'select 1 as one')).toEqual([{ one: 1 }]);
    await first.close();
    expect(await first.pid()).toBeUndefined();
  }));

it('works whatever the umask', async () => {
  const before = process.umask(0o077);
  try {
    await withFolder(0o700, async (dataDir) => {
      const server = await EmbeddedServer.open({ dataDir, logger, durable: false });
      expect(await run(server, 'select 1 as one')).toEqual([{ one: 1 }]);
      await server.close();
      const home = await prepareHome(dataDir, deriveServerUser());
      if (home !== dataDir) await rm(home, { recursive: true });
    });
  } finally {
    process.umask(before);
  }
});

it('works in a data folder under a closed one, keeps its data there, and begins anew when the folder does', () =>
  withFolder(0o700, async (dataDir) => {
    const first = await EmbeddedServer.open({ dataDir, logger, durable: false });
    await run(first, 'create table kept ()');
    await first.close();
    const second = await EmbeddedServer.open({ dataDir, logger, durable: false });
    expect(await run(second, "select to_regclass('kept') is not null as found")).toEqual([{ found: true }]);
    await second.close();
    await rm(dataDir, { recursive: true });
    const third = await EmbeddedServer.open({ dataDir, logger, durable: false });
    expect(await run(third, "select to_regclass('kept') is not null as found")).toEqual([{ found: false }]);
    await third.close();
    const home = await prepareHome(dataDir, deriveServerUser());
    if (home !== dataDir) await rm(home, { recursive: true });
  }));

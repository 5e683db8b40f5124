import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSilentLogger, isProcessAlive, type Logger, sleep } from '@flotilla/kit';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
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

it('the server runs until the last of several handles in one process is closed', () =>
  withFolder(0o711, async (dataDir) => {
    const first = await EmbeddedServer.open({ dataDir, logger, durable: false });
    const second = await EmbeddedServer.open({ dataDir, logger, durable: false });
    expect(await second.pid()).toBe(await first.pid());
    await second.close();
    expect(await run(first, 'select 1 as one')).toEqual([{ one: 1 }]);
    await first.close();
    expect(await first.pid()).toBeUndefined();
  }));

it('the server works with any umask', async () => {
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

it('the server works in a data folder below a private one, keeps its data, and starts empty when the folder is recreated', () =>
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

describe('a server that cannot start (fault H2)', () => {
  /** A cluster that has run once and whose settings cannot be read any more. */
  async function withUnreadableSettings(work: (dataDir: string) => Promise<void>): Promise<void> {
    await withFolder(0o711, async (dataDir) => {
      await (await EmbeddedServer.open({ dataDir, logger, durable: false })).close();
      const settings = join(dataDir, 'cluster', 'postgresql.conf');
      await rm(settings);
      await mkdir(settings);
      await work(dataDir);
    });
  }

  function countStarts(): { counting: Logger; starts: () => number } {
    let starts = 0;
    const counting = new Proxy(logger, {
      get: (target, key) =>
        key === 'info'
          ? (_details: unknown, event: string) => {
              if (event === 'postgres.starting') starts += 1;
            }
          : Reflect.get(target, key),
    });
    return { counting, starts: () => starts };
  }

  it('is abandoned after the start timeout, after only a few attempts', () =>
    withUnreadableSettings(async (dataDir) => {
      const { counting, starts } = countStarts();
      const opening = EmbeddedServer.open({ dataDir, logger: counting, durable: false, startTimeoutMs: 1500 });
      await expect(opening).rejects.toThrow(/PostgreSQL did not answer in time; see .*postgres\.log/);
      expect(starts()).toBeGreaterThan(1);
      expect(starts()).toBeLessThan(10);
      const given = starts();
      await sleep(1000);
      expect(starts()).toBe(given);
    }));

  it('is abandoned at once when the program is asked to stop', () =>
    withUnreadableSettings(async (dataDir) => {
      const stop = new AbortController();
      const opening = EmbeddedServer.open({ dataDir, logger, durable: false, signal: stop.signal });
      setTimeout(() => stop.abort(), 300);
      await expect(opening).rejects.toThrow(/abort/i);
    }));

  it('leaves no process behind when the program is asked to stop just after the spawn', () =>
    withFolder(0o711, async (dataDir) => {
      await (await EmbeddedServer.open({ dataDir, logger, durable: false })).close();
      const stop = new AbortController();
      const pids: number[] = [];
      const stopping = new Proxy(logger, {
        get: (target, key) =>
          key === 'info'
            ? ({ serverPid }: { serverPid: number }) => {
                pids.push(serverPid);
                stop.abort();
              }
            : Reflect.get(target, key),
      });
      const opening = EmbeddedServer.open({ dataDir, logger: stopping, durable: false, signal: stop.signal });
      await expect(opening).rejects.toThrow(/abort/i);
      expect(pids.length).toBeGreaterThan(0);
      for (const pid of pids) expect(await isProcessAlive(pid, 'postgres')).toBe(false);
    }));
});

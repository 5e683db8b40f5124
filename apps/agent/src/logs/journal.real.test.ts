import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHostLogs } from '../commands/logs.ts';
import { FakeHost } from '../testing/fake-host.ts';
import { hostTarget, routingTarget } from './targets.ts';

let dir: string;
let journal: readonly string[];
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'journal-'));
  const file = join(dir, 'system.journal');
  await writeJournal(
    file,
    Array.from({ length: 30 }, (_, n) => ({
      n,
      MESSAGE: n === 7 ? 'two\nlines $(id)' : n === 8 ? 'x'.repeat(3 * 1024 * 1024) : `entry ${n}`,
      PRIORITY: n % 2 === 0 ? '6' : '3',
      _SYSTEMD_UNIT: n % 3 === 0 ? 'frr.service' : 'ssh.service',
      SYSLOG_IDENTIFIER: n % 3 === 0 ? 'bgpd' : 'sshd',
    })),
  );
  journal = ['journalctl', `--file=${file}`];
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const START_MS = Date.parse('2026-02-03T00:00:00Z');
const BOOT = '0123456789abcdef0123456789abcdef';

/** Writes a journal with the program that receives journals of other hosts, from its text form. */
async function writeJournal(path: string, entries: ReadonlyArray<Record<string, string | number>>): Promise<void> {
  const text = entries.map(({ n, MESSAGE, ...fields }) => {
    const micros = (START_MS + Number(n) * 1000) * 1000;
    const bytes = Buffer.from(String(MESSAGE));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(bytes.length));
    const plain = Object.entries(fields).map(([name, value]) => `${name}=${value}\n`);
    const head = `__REALTIME_TIMESTAMP=${micros}\n__MONOTONIC_TIMESTAMP=${Number(n) + 1}\n_BOOT_ID=${BOOT}\n`;
    return Buffer.concat([Buffer.from(`${head}${plain.join('')}MESSAGE\n`), length, bytes, Buffer.from('\n\n')]);
  });
  const input = join(dir, 'export');
  await writeFile(input, Buffer.concat(text));
  const made = spawnSync('/lib/systemd/systemd-journal-remote', ['-o', path, input]);
  expect(made.status, String(made.error ?? made.stderr)).toBe(0);
}

async function read(
  payload: Record<string, unknown>,
  { of = 'host', command = journal }: { of?: 'host' | 'routing'; command?: readonly string[] } = {},
) {
  const host = new FakeHost();
  host.logs.set('host', hostTarget(command));
  host.logs.set('routing', routingTarget(command));
  const outcome = await readHostLogs(of, { host, payload, signal: new AbortController().signal });
  expect(outcome).toMatchObject({ outcome: 'done' });
  return outcome.result as {
    logs: Array<{ timestamp: string; message: string; level: string; component: string; truncated?: true }>;
    older_cursor: string | null;
    newer_cursor: string;
    notes: string[];
  };
}

const numbers = ({ logs }: { logs: ReadonlyArray<{ timestamp: string }> }) =>
  logs.map(({ timestamp }) => (Date.parse(timestamp) - START_MS) / 1000);

describe('a journal', () => {
  it('returns its newest entries, the oldest first, with their levels and units', async () => {
    const page = await read({ count: 3 });
    expect(numbers(page)).toEqual([27, 28, 29]);
    expect(page.logs[0]).toMatchObject({
      timestamp: '2026-02-03T00:00:27.000Z',
      level: 'error',
      component: 'bgpd',
      message: 'entry 27',
      source: 'host',
      file: 'journal',
      metadata: { systemd_unit: 'frr.service' },
    });
  });

  it('is read back to its first entry and forward again by cursors', async () => {
    const all: number[][] = [];
    let page = await read({ count: 7 });
    all.unshift(numbers(page));
    while (page.older_cursor !== null) {
      page = await read({ count: 7, cursor: page.older_cursor });
      all.unshift(numbers(page));
    }
    expect(all.flat()).toEqual(Array.from({ length: 30 }, (_, n) => n));
    expect(numbers(await read({ count: 4, cursor: page.newer_cursor }))).toEqual([2, 3, 4, 5]);
  });

  it('is filtered by unit, level, text and time', async () => {
    expect(numbers(await read({}, { of: 'routing' }))).toEqual([0, 3, 6, 9, 12, 15, 18, 21, 24, 27]);
    expect(numbers(await read({ level: 'error' }, { of: 'routing' }))).toEqual([3, 9, 15, 21, 27]);
    expect(numbers(await read({ search: 'ENTRY 1', count: 4 }))).toEqual([16, 17, 18, 19]);
    const range = { since: '2026-02-03T00:00:10.500Z', until: '2026-02-03T00:00:13Z' };
    expect(numbers(await read(range))).toEqual([11, 12, 13]);
  });

  it('returns messages of several lines and shortens long ones', async () => {
    const page = await read({ until: '2026-02-03T00:00:08Z', count: 2 });
    expect(page.logs).toMatchObject([{ message: 'two\nlines $(id)' }, { truncated: true }]);
  });

  it('finds the position of a long entry wherever journalctl writes it, and says that an entry is missing', async () => {
    const position = '"__CURSOR":"s=1;i=9","__REALTIME_TIMESTAMP":"1770076808000000"';
    const long = (name: string, length = 2 * 1024 * 1024) => `"${name}":"${'x'.repeat(length)}"`;
    const lines = [
      [long('MESSAGE'), position],
      [position, long('MESSAGE')],
      [long('MESSAGE'), position, long('SYSLOG_IDENTIFIER')],
      // The first MiB ends within the cursor.
      [long('MESSAGE', 1024 * 1024 - 30), position, long('SYSLOG_IDENTIFIER')],
    ];
    const program = join(dir, 'journalctl');
    await writeFile(join(dir, 'lines'), lines.map((fields) => `{${fields.join(',')}}\n`).join(''));
    await writeFile(program, `#!/bin/sh\ncat ${join(dir, 'lines')}\n`, { mode: 0o755 });
    expect(await read({ count: 5 }, { command: [program] })).toMatchObject({
      logs: Array(2).fill({ timestamp: '2026-02-03T00:00:08.000Z', truncated: true }),
      notes: ['An entry of the journal is missing because it is too long to read.'],
    });
  });

  it('refuses a cursor that the journal does not understand', async () => {
    const { newer_cursor: cursor } = await read({ count: 1 });
    const content = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    content.p[0][1] = { c: '>nonsense' };
    const forged = Buffer.from(JSON.stringify(content)).toString('base64url');
    const host = new FakeHost();
    host.logs.set('host', hostTarget(journal));
    const { signal } = new AbortController();
    expect(await readHostLogs('host', { host, payload: { cursor: forged }, signal })).toMatchObject({
      outcome: 'refused',
      code: 'logs.cursor',
    });
  });

  it('that does not exist is explained, and so is a host without journalctl', async () => {
    const host = new FakeHost();
    const { signal } = new AbortController();
    const ask = (command: readonly string[]) => {
      host.logs.set('host', hostTarget(command));
      return readHostLogs('host', { host, payload: {}, signal });
    };
    expect(await ask(['journalctl', `--directory=${dir}/none`])).toMatchObject({ outcome: 'refused' });
    await writeFile(join(dir, 'not.journal'), 'x');
    expect(await ask([join(dir, 'missing')])).toMatchObject({
      outcome: 'refused',
      code: 'logs.journal_missing',
      message: expect.stringContaining('Install systemd'),
    });
  });
});

import { appendFile, copyFile, link, mkdir, mkdtemp, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { LogPage } from '@flotilla/proto/commands';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OpenFolder } from '../host/open-folder.ts';
import { FileLog } from './file-log.ts';
import { orderNames } from './generations.ts';
import { parseAccessLine, parseEnvoyLine } from './parse-line.ts';
import { readQuery } from './query.ts';
import { type LogTarget, readLogs } from './read-logs.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'logs-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(dir, { recursive: true, force: true });
});

const START_MS = Date.parse('2026-02-03T00:00:00.000Z');

/** The line of Envoy with this number, one second after the line before it. */
function line(n: number, text = `line ${n}`, level = 'info'): string {
  const at = new Date(START_MS + n * 1000).toISOString().replace('T', ' ').replace('Z', '');
  return `[${at}][1][${level}][main] ${text}\n`;
}

function request(n: number, text = `"GET /${n} HTTP/1.1" 200`): string {
  return `[${new Date(START_MS + n * 1000).toISOString()}] ${text}\n`;
}

const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => line(from + i)).join('');

const target = (name = 'edge'): LogTarget => ({
  name,
  sources: () =>
    Promise.resolve([
      new FileLog({ dir, name: 'envoy.log', source: 'envoy', parse: parseEnvoyLine }),
      new FileLog({ dir, name: 'access.log', source: 'access', parse: parseAccessLine }),
    ]),
});

async function tryRead(payload: Record<string, unknown> = {}, of = target()) {
  return readLogs(of, readQuery(payload), new AbortController().signal);
}

async function read(payload: Record<string, unknown> = {}, of = target()): Promise<LogPage> {
  const page = await tryRead(payload, of);
  if (!page.ok) throw new Error(page.error.message);
  return page.value;
}

const textsOf = (page: LogPage) => page.logs.map(({ message }) => message);
const write = (name: string, content: string | Buffer) => writeFile(join(dir, name), content);

/** Rotates as the agent does: renames older copies, copies and empties the file. Four copies stay. */
async function rotate(name: string): Promise<void> {
  for (const n of [3, 2, 1])
    await rename(join(dir, `${name}.${n}`), join(dir, `${name}.${n + 1}`)).catch(() => undefined);
  await copyFile(join(dir, name), join(dir, `${name}.1`));
  await truncate(join(dir, name));
}

/** Reads back to the beginning, `count` lines at a time, and returns all messages from the oldest. */
async function readAllBack(payload: Record<string, unknown>): Promise<string[]> {
  const pages: string[][] = [];
  let cursor: string | null | undefined;
  do {
    const page: LogPage = await read({ ...payload, ...(cursor && { cursor }) });
    pages.unshift(textsOf(page));
    cursor = page.older_cursor;
  } while (cursor);
  return pages.flat();
}

describe('the newest lines', () => {
  it('of several logs are merged by time, the oldest first, with times in UTC', async () => {
    await write('envoy.log', line(1) + line(3) + line(5));
    await write('access.log', request(2) + request(4));
    const page = await read({ count: 4 });
    expect(page.logs.map(({ timestamp }) => timestamp)).toEqual([
      '2026-02-03T00:00:02.000Z',
      '2026-02-03T00:00:03.000Z',
      '2026-02-03T00:00:04.000Z',
      '2026-02-03T00:00:05.000Z',
    ]);
    expect(page.logs.map(({ source }) => source)).toEqual(['access', 'envoy', 'access', 'envoy']);
    expect(page.logs[1]).toMatchObject({ level: 'info', component: 'main', message: 'line 3', file: 'envoy.log' });
    expect(page).toMatchObject({ complete: true, gap: false, notes: [] });
  });

  it('come from rotated and packed files, too, and no file is read twice', async () => {
    await write('envoy.log.3.gz', gzipSync(lines(0, 3)));
    await write('envoy.log.2', lines(3, 6));
    await write('envoy.log.1', lines(6, 9));
    await write('envoy.log', lines(9, 12));
    await write('envoy.log.bak', line(99));
    await write('envoy.log2', line(99));
    expect(textsOf(await read())).toEqual(Array.from({ length: 12 }, (_, n) => `line ${n}`));
    expect(await readAllBack({ count: 1 })).toEqual(Array.from({ length: 12 }, (_, n) => `line ${n}`));
  });

  it('are an empty list if the logs do not exist, are empty or have no complete line', async () => {
    expect(await read()).toMatchObject({ logs: [], older_cursor: null, complete: true });
    await write('envoy.log', '');
    await write('access.log', 'not finished');
    expect(await read()).toMatchObject({ logs: [], older_cursor: null });
  });

  it('without a time of their own have the time and level of the line before them', async () => {
    await write('envoy.log', `${line(1, 'crash', 'critical')}frame 1\nframe 2\n${line(2)}`);
    const page = await read();
    expect(page.logs.map(({ timestamp, level }) => [timestamp?.slice(17, 19), level])).toEqual([
      ['01', 'critical'],
      ['01', 'critical'],
      ['01', 'critical'],
      ['02', 'info'],
    ]);
    expect(await readAllBack({ count: 1 })).toEqual(['crash', 'frame 1', 'frame 2', 'line 2']);
  });

  it('are never taken from a link, a folder, a pipe or a file that has another name', async () => {
    await write('secret', line(1, 'secret'));
    await symlink(join(dir, 'secret'), join(dir, 'envoy.log'));
    await link(join(dir, 'secret'), join(dir, 'access.log'));
    await mkdir(join(dir, 'envoy.log.1'));
    expect((await read()).logs).toEqual([]);
  });
});

describe('cursors', () => {
  it('lead back to the first line and forward to the last one, without a line twice', async () => {
    await write('envoy.log', lines(0, 25));
    await write('access.log', Array.from({ length: 25 }, (_, n) => request(n)).join(''));
    const newest = await read({ count: 10 });
    expect(await readAllBack({ count: 7 })).toHaveLength(50);
    const older = await read({ count: 10, cursor: newest.older_cursor });
    const again = await read({ count: 10, cursor: older.newer_cursor });
    expect(textsOf(again).toSorted()).toEqual(textsOf(newest).toSorted());
  });

  it('stay valid when the files are rotated, and lines that follow come once', async () => {
    await write('envoy.log', lines(0, 10));
    const { newer_cursor: first, older_cursor: back } = await read({ count: 4 });
    await appendFile(join(dir, 'envoy.log'), lines(10, 12));
    await rotate('envoy.log');
    await appendFile(join(dir, 'envoy.log'), lines(12, 14));
    const next = await read({ cursor: first });
    expect(textsOf(next)).toEqual(['line 10', 'line 11', 'line 12', 'line 13']);
    expect(next.gap).toBe(false);
    expect(textsOf(await read({ cursor: back }))).toEqual(Array.from({ length: 6 }, (_, n) => `line ${n}`));
    expect(textsOf(await read({ cursor: next.newer_cursor }))).toEqual([]);
  });

  it('report a gap when their lines were rotated away', async () => {
    await write('envoy.log', lines(0, 3));
    const { newer_cursor: cursor } = await read();
    await write('envoy.log', lines(50, 53));
    expect(await read({ cursor })).toMatchObject({ gap: true, logs: [{ message: 'line 50' }, {}, {}] });
  });

  it('of a log that did not exist return it from its first line', async () => {
    const { newer_cursor: cursor } = await read();
    await write('access.log', request(1));
    expect(textsOf(await read({ cursor }))).toEqual(['"GET /1 HTTP/1.1" 200']);
  });

  it('do not return a line before it is complete', async () => {
    await write('envoy.log', lines(0, 2));
    const { newer_cursor: cursor } = await read();
    await appendFile(join(dir, 'envoy.log'), line(2).slice(0, 30));
    const waiting = await read({ cursor });
    expect(waiting.logs).toEqual([]);
    await appendFile(join(dir, 'envoy.log'), line(2).slice(30));
    expect(textsOf(await read({ cursor: waiting.newer_cursor }))).toEqual(['line 2']);
  });

  it('wait for new lines', async () => {
    await write('envoy.log', lines(0, 2));
    const { newer_cursor: cursor } = await read();
    const following = read({ cursor, wait_ms: 10_000 });
    await appendFile(join(dir, 'envoy.log'), lines(2, 3));
    expect(textsOf(await following)).toEqual(['line 2']);
  });

  it.each([
    'x',
    '',
    '../../etc/passwd',
    Buffer.from('null').toString('base64url'),
    Buffer.from('{"t":"0","d":"n","p":[]}').toString('base64url'),
    'a'.repeat(10_000),
  ])('that were made by somebody are refused: %s', async (cursor) => {
    expect(await tryRead({ cursor })).toMatchObject({ ok: false, error: { code: 'logs.cursor' } });
  });

  it('of another log are refused', async () => {
    await write('envoy.log', lines(0, 2));
    const { newer_cursor: cursor } = await read();
    expect(await tryRead({ cursor }, target('other'))).toMatchObject({ ok: false, error: { code: 'logs.cursor' } });
    expect(await tryRead({ cursor, log_type: 'ENVOY' })).toMatchObject({ ok: false });
  });

  it('with changed places return only whole lines of the same files', async () => {
    await write('envoy.log', lines(0, 3));
    const { newer_cursor: cursor } = await read();
    const forge = (change: (content: { p: unknown[] }) => void) => {
      const content = JSON.parse(Buffer.from(cursor, 'base64url').toString());
      change(content);
      return Buffer.from(JSON.stringify(content)).toString('base64url');
    };
    const place = (o: unknown) => forge(({ p }) => Object.assign((p[0] as [string, object])[1], { o }));
    expect(textsOf(await read({ cursor: place(3) }))).toEqual(['line 1', 'line 2']);
    expect(textsOf(await read({ cursor: place(2 ** 50) }))).toEqual([]);
    for (const o of [-1, 1.5, '0', null, 1e300]) expect((await tryRead({ cursor: place(o) })).ok).toBe(false);
    const foreign = forge(({ p }) => p.push(['../secret', { g: '0'.repeat(16), o: 0 }]));
    expect(textsOf(await read({ cursor: foreign }))).toEqual([]);
    const journal = forge(({ p }) => p.push(['envoy:envoy.log', { c: '>--help' }]));
    expect((await tryRead({ cursor: journal })).ok).toBe(false);
  });
});

describe('filters', () => {
  beforeEach(async () => {
    await write('envoy.log', line(1, 'Alpha', 'debug') + line(3, 'beta', 'warning') + line(5, 'a.c [x]', 'critical'));
    await write('access.log', request(2) + request(4, '"GET /err HTTP/1.1" 503'));
  });

  it.each([
    [{ level: 'warn' }, ['beta', '"GET /err HTTP/1.1" 503', 'a.c [x]']],
    [{ levels: ['DEBUG', 'critical'] }, ['Alpha', 'a.c [x]']],
    [{ search: 'ALPHA' }, ['Alpha']],
    [{ search: 'a.c [' }, ['a.c [x]']],
    [{ search: 'A.*' }, []],
    [{ search: '$(id)' }, []],
    [{ components: ['main'] }, ['Alpha', 'beta', 'a.c [x]']],
    [{ since: '2026-02-03T00:00:03Z', until: '2026-02-03T00:00:04Z' }, ['beta', '"GET /err HTTP/1.1" 503']],
    [{ since: '2027-01-01T00:00:00Z' }, []],
    [{ until: '2025-01-01T00:00:00Z' }, []],
  ])('%j', async (filter, messages) => {
    expect(textsOf(await read(filter))).toEqual(messages);
    expect(await readAllBack({ ...filter, count: 1 })).toEqual(messages);
  });

  it('with another form count as absent', async () => {
    const odd = {
      level: 7,
      levels: 'x',
      search: ['a'],
      components: {},
      since: 'soon',
      count: Number.NaN,
      max_bytes: -1,
    };
    expect((await read(odd)).logs).toHaveLength(5);
  });
});

describe('an answer is bounded', () => {
  it('by its bytes, and a cursor continues', async () => {
    await write('envoy.log', Array.from({ length: 300 }, (_, n) => line(n, `"\\"${'x'.repeat(1000)}`)).join(''));
    const page = await read({ count: 10_000, max_bytes: 65_536 });
    expect(Buffer.byteLength(JSON.stringify(page.logs))).toBeLessThan(65_536);
    expect(page.logs.length).toBeGreaterThan(30);
    expect(page.older_cursor).not.toBeNull();
    expect(await readAllBack({ count: 10_000, max_bytes: 65_536 })).toHaveLength(300);
  });

  it('if a line is ten megabytes long, which is shortened', async () => {
    await write('envoy.log', line(1) + line(2, 'é'.repeat(5 * 1024 * 1024)) + line(3));
    const page = await read();
    expect(textsOf(page).map((text) => text.length)).toEqual([6, expect.any(Number), 6]);
    expect(page.logs[1]).toMatchObject({ truncated: true });
    expect(Buffer.byteLength(page.logs[1]?.message ?? '')).toBeLessThanOrEqual(16 * 1024);
    const { older_cursor: cursor } = await read({ count: 1 });
    expect((await read({ count: 1, cursor })).logs[0]).toMatchObject({ truncated: true });
  });

  it('if a file is binary', async () => {
    const bytes = Buffer.alloc(300_000, Buffer.from([0, 1, 27, 255, 254, 13]));
    await write('envoy.log', Buffer.concat([bytes, Buffer.from('\n'), Buffer.from(line(1))]));
    await write('access.log.1.gz', Buffer.from('this is not gzip'));
    const page = await read();
    expect(page.logs.at(-1)).toMatchObject({ message: 'line 1' });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no such character may be in an answer
    expect(JSON.stringify(page)).not.toMatch(/\\u00|[\u0000-\u0008\u001b]/);
  });

  it('if a packed file is a bomb', async () => {
    await write('access.log.1.gz', gzipSync(Buffer.alloc(200 * 1024 * 1024, 'x')));
    await write('envoy.log', lines(0, 2));
    const page = await read();
    expect(page.complete).toBe(false);
    expect(page.logs.length).toBeLessThanOrEqual(3);
  });

  it('if the search finds nothing in a large log', async () => {
    await write('envoy.log', line(1, 'x'.repeat(16_000)).repeat(2200));
    const page = await read({ search: 'nowhere' });
    expect(page).toMatchObject({ logs: [], complete: false, older_cursor: expect.any(String) });
    expect(await readAllBack({ search: 'nowhere' })).toEqual([]);
  });
});

it('a log that is rotated again and again while it is read shows each line once and in order', async () => {
  await write('envoy.log', lines(0, 50));
  let { newer_cursor: cursor, logs } = await read({ count: 10_000 });
  const seen = logs.map(({ message }) => message);
  let written = 50;
  let isOver = false;
  const rotating = (async () => {
    while (!isOver && written < 400) {
      await appendFile(join(dir, 'envoy.log'), lines(written, written + 10));
      written += 10;
      if (written % 100 === 0) await rotate('envoy.log');
    }
  })();
  while (seen.length < 400) {
    const page = await tryRead({ cursor, count: 10_000 });
    if (!page.ok) continue;
    ({ newer_cursor: cursor, logs } = page.value);
    seen.push(...logs.map(({ message }) => message));
  }
  isOver = true;
  await rotating;
  expect(seen).toEqual(Array.from({ length: 400 }, (_, n) => `line ${n}`));
});

it('a log whose first rotation happens between the listing and the opening of its files shows each line once', async () => {
  await write('envoy.log', lines(0, 5));
  const { newer_cursor } = await read();
  const openFile = vi.spyOn(OpenFolder.prototype, 'openFile');
  openFile.mockImplementationOnce(async function (this: OpenFolder, name, flags) {
    await rotate('envoy.log');
    await appendFile(join(dir, 'envoy.log'), lines(5, 7));
    return this.openFile(name, flags);
  });
  const page = await read({ cursor: newer_cursor });
  expect(openFile.mock.calls.map(([name]) => name)).toContain('envoy.log.1');
  expect(page.gap).toBe(false);
  expect(textsOf(page)).toEqual(['line 5', 'line 6']);
});

it('the files of a log are found by name, and no other', () => {
  const names = [
    'a.log.2.gz',
    'a.log',
    'a.log.10',
    'a.log.1',
    'a.log.gz',
    'a.log.x',
    'ba.log',
    'a.logs',
    'a.log.1.bz2',
  ];
  expect(orderNames('a.log', names)).toEqual(['a.log', 'a.log.1', 'a.log.2.gz', 'a.log.10']);
  expect(orderNames('a.log', ['a.log-20260101', 'a.log-20260102.gz', 'a.log'])).toEqual([
    'a.log',
    'a.log-20260102.gz',
    'a.log-20260101',
  ]);
});

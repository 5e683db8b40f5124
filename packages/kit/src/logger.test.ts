import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { countDroppedLines, createLogger } from './logger.ts';

const LINES = 3000;
const PADDING = 'x'.repeat(1000);

let folder: string;
let pipe: number;
let reader: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flotilla-log-'));
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  // Opened as a shell opens it, so writes block.
  pipe = openSync(path, 'w');
});
afterEach(() => {
  closeSync(pipe);
  closeSync(reader);
  rmSync(folder, { recursive: true });
});

/** Empties the pipe repeatedly until `isAll` accepts the complete lines and the partial line after them. */
async function read(isAll: (lines: string[], behind: string) => boolean): Promise<string[]> {
  let text = '';
  const bytes = Buffer.alloc(65_536);
  return vi.waitFor(
    () => {
      try {
        for (;;) {
          const count = readSync(reader, bytes);
          if (count === 0) break;
          text += bytes.toString('utf8', 0, count);
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      }
      const lines = text.split('\n');
      const behind = lines.pop() ?? '';
      expect(isAll(lines, behind)).toBe(true);
      return lines;
    },
    { interval: 5 },
  );
}

/** Runs a program that logs to the pipe or to `destination`. `work` can use `logger` and `PADDING`. */
function run(work: string, destination?: string): void {
  const url = JSON.stringify(new URL('./logger.ts', import.meta.url));
  const script = `
    import { createLogger } from ${url};
    const logger = createLogger({ name: 'test', destination: ${JSON.stringify(destination) ?? 1} });
    const PADDING = 'x'.repeat(1000);
    ${work}`;
  spawnSync(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', pipe, 'inherit'] });
}

it('a log that nobody reads keeps what fits, counts what it drops, and reports the gap once when it is read again', async () => {
  const before = countDroppedLines();
  const logger = createLogger({ name: 'test', destination: pipe });
  for (let n = 0; n < LINES; n += 1) logger.info({ n, padding: PADDING });
  const dropped = countDroppedLines() - before;
  expect(dropped).toBeGreaterThan(1000);
  const lines = (await read((all) => all.at(-1)?.includes('log.lines_dropped') === true)).map(
    (line) => JSON.parse(line) as { n?: number; lines?: number },
  );
  const kept = LINES - dropped;
  expect(lines.slice(0, -1).map(({ n }) => n)).toEqual(Array.from({ length: kept }, (_, n) => n));
  expect(lines.at(-1)).toMatchObject({ level: 40, name: 'test', event: 'log_lines_dropped', lines: dropped });
  logger.info({ n: LINES });
  expect((await read((all) => all.length === 1)).map((line) => JSON.parse(line).n)).toEqual([LINES]);
  expect(countDroppedLines() - before).toBe(dropped);
});

it('a line that was written in part is completed later', async () => {
  const logger = createLogger({ name: 'test', destination: pipe });
  const long = 'y'.repeat(200_000);
  logger.info({ long });
  logger.info('behind');
  const [first = '', second = ''] = await read((all) => all.length === 2);
  expect(JSON.parse(first).long).toBe(long);
  expect(JSON.parse(second).msg).toBe('behind');
});

it('a log file gets each line as it is logged', async () => {
  const path = join(folder, 'log');
  const logger = createLogger({ name: 'test', destination: path });
  logger.info({ token: 'SECRET' }, 'one');
  await vi.waitFor(async () =>
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ msg: 'one', token: '[redacted]' }),
  );
});

it('a copy of a log gets the same lines, also when nobody reads the log', () => {
  const copy = join(folder, 'copy.log');
  const logger = createLogger({ name: 'test', destination: pipe, copy });
  for (let n = 0; n < LINES; n += 1) logger.info({ n, padding: PADDING });
  const copied = readFileSync(copy, 'utf8').trimEnd().split('\n');
  expect(copied.map((line) => JSON.parse(line).n).filter((n) => n !== undefined)).toHaveLength(LINES);
});

it('a line longer than the whole buffer is dropped alone, and reported', async () => {
  const before = countDroppedLines();
  const logger = createLogger({ name: 'test', destination: pipe });
  logger.info({ long: 'y'.repeat(2 ** 20) });
  logger.info('behind');
  const lines = (await read((all) => all.length === 2)).map((line) => JSON.parse(line));
  expect(lines).toMatchObject([{ event: 'log_lines_dropped', lines: 1 }, { msg: 'behind' }]);
  expect(countDroppedLines() - before).toBe(1);
});

describe('at the end of a program', () => {
  const BUSY = `
    const { pbkdf2 } = await import('node:crypto');
    for (let n = 0; n < 8; n += 1) pbkdf2('a', 'b', 200_000, 32, 'sha256', () => undefined);`;
  const MESSAGES = Array.from({ length: 5 }, (_, n) => `${n}`);
  const SAY = 'for (let n = 0; n < 5; n += 1) logger.info(String(n));';

  it.each(['process.exit()', "process.kill(process.pid, 'SIGKILL')"])(
    'by %s, everything is written in order, even if every file thread is busy',
    async (end) => {
      const path = join(folder, 'log');
      const toMessages = (lines: string[]) => lines.map((line) => JSON.parse(line).msg);
      run(`${BUSY}${SAY}${end};`);
      expect(toMessages(await read((all) => all.length > 0))).toEqual(MESSAGES);
      run(`${BUSY}${SAY}${end};`, path);
      expect(toMessages(readFileSync(path, 'utf8').trim().split('\n'))).toEqual(MESSAGES);
    },
  );

  it('no line is cut off when the pipe is full', async () => {
    run('for (let n = 0; n < 300; n += 1) logger.info({ n, PADDING }); process.exit();');
    let behind = '';
    const lines = await read((all, rest) => {
      behind = rest;
      return all.length > 0;
    });
    expect(behind).toBe('');
    expect(lines.map((line) => JSON.parse(line).n)).toEqual(lines.map((_, n) => n));
  });

  it('lines that waited are written when there is space again', async () => {
    run(`
      const { constants, openSync, readSync } = await import('node:fs');
      const reader = openSync('/proc/self/fd/1', constants.O_RDONLY | constants.O_NONBLOCK);
      for (let n = 0; n < 80; n += 1) logger.info({ n, PADDING });
      readSync(reader, Buffer.alloc(65_536));
      process.exit();`);
    const lines = await read((all) => all.length > 0);
    expect(JSON.parse(lines.at(-1) ?? '{}').n).toBe(79);
  });
});

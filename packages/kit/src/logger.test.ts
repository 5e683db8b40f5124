import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
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
  // As a shell opens it: who writes to it waits.
  pipe = openSync(path, 'w');
});
afterEach(() => {
  closeSync(pipe);
  closeSync(reader);
  rmSync(folder, { recursive: true });
});

/** Empties the pipe, again and again, until `isAll` of what has come. */
async function read(isAll: (lines: string[]) => boolean): Promise<string[]> {
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
      const lines = text.split('\n').slice(0, -1);
      expect(isAll(lines)).toBe(true);
      return lines;
    },
    { timeout: 30_000, interval: 5 },
  );
}

it('a log that nobody reads keeps what fits, drops and counts the rest, and says so once when it is read again', async () => {
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

it('a line that was written in part is written to its end', async () => {
  const logger = createLogger({ name: 'test', destination: pipe });
  const long = 'y'.repeat(200_000);
  logger.info({ long });
  logger.info('behind');
  const [first = '', second = ''] = await read((all) => all.length === 2);
  expect(JSON.parse(first).long).toBe(long);
  expect(JSON.parse(second).msg).toBe('behind');
});

it('is written to a file as it comes', async () => {
  const path = join(folder, 'log');
  const logger = createLogger({ name: 'test', destination: path });
  logger.info({ token: 'SECRET' }, 'one');
  await vi.waitFor(async () =>
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ msg: 'one', token: '[redacted]' }),
  );
});

import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deriveServiceLayout } from '@flotilla/proto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rotateLogs } from './log-rotation.ts';

let base: string;
const layoutIn = () => deriveServiceLayout({ runtimeDir: join(base, 'run'), dataDir: join(base, 'data') }, 'svc');

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'fl-'));
  mkdirSync(layoutIn().logDir, { recursive: true });
  mkdirSync(layoutIn().filesDir, { recursive: true });
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

test('a log past its limit is cut while its writer keeps writing to the same file', async () => {
  const path = join(layoutIn().logDir, 'envoy.log');
  const writer = openSync(path, 'a');
  writeSync(writer, 'x'.repeat(2_000));
  expect(await rotateLogs(layoutIn(), 1_000)).toBe(1);
  writeSync(writer, 'after');
  closeSync(writer);
  expect(readFileSync(path, 'utf8')).toBe('after');
  expect(statSync(`${path}.1`).size).toBe(2_000);
});

test('no more than three old logs stay', async () => {
  const path = join(layoutIn().filesDir, 'access.json');
  for (const letter of ['a', 'b', 'c', 'd', 'e']) {
    appendFileSync(path, letter.repeat(20));
    await rotateLogs(layoutIn(), 10);
  }
  expect([1, 2, 3].map((n) => readFileSync(`${path}.${n}`, 'utf8')[0])).toEqual(['e', 'd', 'c']);
  expect(() => statSync(`${path}.4`)).toThrow();
});

test('a link in the tenant folder never makes the agent empty another file', async () => {
  const victim = join(base, 'victim');
  writeFileSync(victim, 'v'.repeat(100));
  symlinkSync(victim, join(layoutIn().filesDir, 'access.log'));
  symlinkSync(victim, join(layoutIn().filesDir, 'other.log.1'));
  writeFileSync(join(layoutIn().filesDir, 'other.log'), 'o'.repeat(100));
  await rotateLogs(layoutIn(), 10);
  expect(readFileSync(victim, 'utf8')).toBe('v'.repeat(100));
});

test('a log within its limit is left alone', async () => {
  const path = join(layoutIn().logDir, 'envoy.log');
  writeFileSync(path, 'short');
  expect(await rotateLogs(layoutIn(), 1_000)).toBe(0);
  expect(readFileSync(path, 'utf8')).toBe('short');
});

test('what the tenant puts beside its logs neither stops nor redirects their rotation (attack 3)', async () => {
  const { filesDir } = layoutIn();
  const victim = join(base, 'victim');
  writeFileSync(victim, 'v'.repeat(100));
  linkSync(victim, join(filesDir, 'a.log'));
  execFileSync('mkfifo', [join(filesDir, 'b.log')]);
  mkdirSync(join(filesDir, 'c.log.3', 'deep'), { recursive: true });
  writeFileSync(join(filesDir, 'c.log'), 'c'.repeat(100));
  symlinkSync(victim, join(filesDir, 'd.log.1'));
  writeFileSync(join(filesDir, 'd.log'), 'd'.repeat(100));
  expect(await rotateLogs(layoutIn(), 10)).toBe(2);
  expect(readFileSync(victim, 'utf8')).toBe('v'.repeat(100));
  expect(statSync(join(filesDir, 'c.log')).size + statSync(join(filesDir, 'd.log')).size).toBe(0);
});

test('of a sparse file that claims to be huge only the end is copied (attack 3)', async () => {
  const path = join(layoutIn().filesDir, 'access.log');
  writeFileSync(path, '');
  truncateSync(path, 2 ** 43);
  expect(await rotateLogs(layoutIn(), 1_000)).toBe(1);
  expect(statSync(`${path}.1`).size).toBe(4_000);
  expect(statSync(path).size).toBe(0);
});

test('of a folder that a tenant fills with files only a bounded number is looked at in a round (attack 3)', async () => {
  const { filesDir } = layoutIn();
  for (let n = 0; n < 5; n += 1) writeFileSync(join(filesDir, `${n}.log`), 'long');
  expect(await rotateLogs(layoutIn(), 1, 3)).toBe(3);
});

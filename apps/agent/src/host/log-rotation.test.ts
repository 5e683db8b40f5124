import {
  appendFileSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
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

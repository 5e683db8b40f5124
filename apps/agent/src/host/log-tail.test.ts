import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { extractReason, tailLog } from './log-tail.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'ft-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('the last lines come oldest first, never half a line', async () => {
  const path = join(dir, 'x.log');
  writeFileSync(path, 'one\ntwo\nthree\nfour\n');
  expect(await tailLog(path, 2)).toEqual(['three', 'four']);
  expect(await tailLog(path, 10, 12)).toEqual(['three', 'four']);
  expect(await tailLog(join(dir, 'none.log'), 2)).toEqual([]);
});

test('errors count more than what was said last, and lose their prefix', () => {
  const lines = [
    '[2026-01-01 00:00:00.000][12][critical][main] [source/server/server.cc:453] error initializing config',
    '[2026-01-01 00:00:00.001][12][info][main] [source/server/server.cc:1114] exiting',
  ];
  expect(extractReason(lines)).toBe('error initializing config');
  expect(extractReason(['just this'])).toBe('just this');
  expect(extractReason([])).toBe('');
});

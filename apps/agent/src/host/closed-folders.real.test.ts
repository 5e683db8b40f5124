import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@flotilla/kit/testing';
import { fleet } from '@flotilla/proto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestHost, desiredOf, ensureTestEnvoy } from '../testing/test-host.ts';
import { findClosedFolder } from './folders.ts';
import { stageCommand, stageProgram } from './program-stage.ts';

const isRoot = process.getuid?.() === 0;
let base: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'fc-'));
  chmodSync(base, 0o755);
  mkdirSync(join(base, 'open'));
  mkdirSync(join(base, 'closed'), { mode: 0o700 });
  mkdirSync(join(base, 'data'));
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

test('a program that everybody can reach is used where it is, another is copied once', async () => {
  writeFileSync(join(base, 'open/program'), 'open', { mode: 0o755 });
  writeFileSync(join(base, 'closed/program'), 'closed', { mode: 0o755 });
  expect(await stageProgram(join(base, 'open/program'), join(base, 'data'))).toBe(join(base, 'open/program'));
  const staged = await stageProgram(join(base, 'closed/program'), join(base, 'data'));
  expect(staged).toMatch(/data\/programs\/[0-9a-f]{12}\/program$/);
  expect(readFileSync(staged, 'utf8')).toBe('closed');
  expect(statSync(staged).mode & 0o777).toBe(0o755);
  expect(await stageProgram(join(base, 'closed/program'), join(base, 'data'))).toBe(staged);
  writeFileSync(join(base, 'closed/program'), 'changed since');
  expect(await stageProgram(join(base, 'closed/program'), join(base, 'data'))).not.toBe(staged);
});

test('of a command only the files are copied', async () => {
  writeFileSync(join(base, 'closed/main.mjs'), '');
  const [node, main, flag] = await stageCommand(
    ['/bin/sh', join(base, 'closed/main.mjs'), '--flag'],
    join(base, 'data'),
  );
  expect([node, flag]).toEqual(['/bin/sh', '--flag']);
  expect(main).toContain('programs');
});

test('the first closed folder on the way is named', async () => {
  expect(await findClosedFolder(join(base, 'closed/deeper'))).toBe(join(base, 'closed'));
  expect(await findClosedFolder(join(base, 'open/deeper'))).toBeUndefined();
});

test('an agent that is root refuses a data folder that its services cannot reach', async () => {
  if (!isRoot) return;
  await ensureTestEnvoy();
  const fixture = await createTestHost();
  try {
    chmodSync(fixture.base, 0o700);
    const port = await findFreePort();
    const host = fixture.open();
    host.setDesired(desiredOf({ port }));
    const report = await host.settled('svc', 1n);
    expect(report.phase).toBe(fleet.NodePhase.FAILED);
    expect(report.error).toContain(fixture.base);
  } finally {
    await fixture.destroy();
  }
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSilentLogger, readProcess } from '@flotilla/kit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { endServices } from './end-services.ts';

const KEY = '0123456789ab';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'flotilla-end-services-'));
  const folders = [`services/${KEY}`, `units/${KEY}`, 'units/ha'];
  await Promise.all(folders.map((name) => mkdir(join(dataDir, name), { recursive: true })));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

it.each([
  ['a service', 'supervisor', `${KEY}/envoy-1`],
  ['a service', 'systemd', `${KEY}/envoy-1`],
  ['a pair', 'supervisor', 'ha/daemon'],
] as const)(
  'ends a program of %s that an agent without systemd has left, also where the mode is %s now',
  async (_, mode, unit) => {
    const left = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
    const ended = once(left, 'exit');
    const { pid, startTime } = readProcess(left.pid ?? 0) ?? { pid: 0, startTime: '' };
    await writeFile(join(dataDir, 'units', `${unit}.pid`), `${pid} ${startTime}\n`);
    try {
      await endServices({ dataDir, mode }, createSilentLogger());
      expect(readProcess(pid)).toBeUndefined();
    } finally {
      left.kill();
    }
    expect(await ended).toEqual([null, 'SIGTERM']);
  },
);

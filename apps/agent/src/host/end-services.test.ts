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
  await Promise.all(['services', 'units'].map((name) => mkdir(join(dataDir, name, KEY), { recursive: true })));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

it.each(['supervisor', 'systemd'] as const)(
  'ends what an agent without systemd has left, also where the mode is %s now',
  async (mode) => {
    const left = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
    const ended = once(left, 'exit');
    const { pid, startTime } = readProcess(left.pid ?? 0) ?? { pid: 0, startTime: '' };
    await writeFile(join(dataDir, 'units', KEY, 'envoy-1.pid'), `${pid} ${startTime}\n`);
    try {
      await endServices({ dataDir, mode }, createSilentLogger());
      expect(readProcess(pid)).toBeUndefined();
    } finally {
      left.kill();
    }
    expect(await ended).toEqual([null, 'SIGTERM']);
  },
);

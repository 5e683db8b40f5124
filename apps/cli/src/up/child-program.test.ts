import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ChildProgram } from './child-program.ts';

it('a child whose log cannot be opened is given up', async () => {
  const logFile = join(import.meta.dirname, 'missing', 'agent.log');
  const child = new ChildProgram({ name: 'agent', command: ['true'], args: [], env: {}, logFile }, () => undefined);
  expect(await child.gaveUp).toMatch(/^the agent cannot be started: ENOENT.*agent\.log/);
  await child.stop();
});

describe('a child that ends unexpectedly (fault M2)', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-child-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  function start(script: string): { child: ChildProgram; pids: number[] } {
    const pids: number[] = [];
    const spec = { name: 'agent', command: ['/bin/sh', '-c', script], args: [], env: {}, logFile: join(folder, 'log') };
    return { child: new ChildProgram(spec, (pid) => pids.push(pid)), pids };
  }

  it('is restarted after every kill', async () => {
    const { child, pids } = start('sleep 60');
    let gaveUp = false;
    void child.gaveUp.then(() => {
      gaveUp = true;
    });
    for (let kills = 1; kills <= 5; kills += 1) {
      await vi.waitUntil(() => pids.length === kills);
      process.kill(pids.at(-1) ?? 0, 'SIGKILL');
    }
    await vi.waitUntil(() => pids.length === 6);
    expect(gaveUp).toBe(false);
    await child.stop();
  });

  it('is given up after three failed starts, with its exit code', async () => {
    const { child, pids } = start('exit 7');
    expect(await child.gaveUp).toMatch(/^the agent exits with code 7; see /);
    expect(pids).toHaveLength(3);
  });

  it('is given up immediately if its settings are wrong', async () => {
    const { child, pids } = start('exit 2');
    expect(await child.gaveUp).toMatch(/^the agent exits with code 2; see /);
    expect(pids).toHaveLength(1);
  });
});

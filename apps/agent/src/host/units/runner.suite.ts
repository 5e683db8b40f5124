import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSameProcess, type ProcessRef } from '@flotilla/kit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { UnitEvent, UnitRunner, UnitSpec } from './types.ts';

export interface RunnerFixture {
  /** Opens a runner like a starting agent. Several runners may follow each other on one folder. */
  open(): UnitRunner;
}

const KEY = 'abcdef012345';
const FOREVER = 'setInterval(() => {}, 1000); console.log("started", process.cwd(), process.env.WORD);';

/** The behaviour of every backend. */
export function describeUnitRunner(name: string, create: (dir: string) => RunnerFixture): void {
  describe(`units under ${name}`, () => {
    let dir: string;
    let fixture: RunnerFixture;
    let runner: UnitRunner;

    beforeEach(() => {
      dir = mkdtempSync(join(tmpdir(), 'fu-'));
      chmodSync(dir, 0o755);
      fixture = create(dir);
      runner = fixture.open();
    });

    afterEach(async () => {
      for (const unit of (await runner.list(KEY, undefined)).keys())
        await runner.stop({ serviceKey: KEY, name: unit }, 0);
      await runner.close();
      rmSync(dir, { recursive: true, force: true });
    });

    const specOf = (source: string, change: Partial<UnitSpec> = {}): UnitSpec => ({
      serviceId: 'svc',
      serviceKey: KEY,
      name: 'envoy-1',
      kind: 'envoy',
      command: [process.execPath, '-e', source],
      env: { PATH: '/usr/bin', WORD: 'a "b" 100% $HOME \\' },
      identity: undefined,
      workDir: dir,
      logFile: join(dir, 'unit.log'),
      writableDirs: [dir],
      ...change,
    });

    test('a unit runs in its folder with its environment, and its output is in its log', async () => {
      const process = await runner.start(specOf(FOREVER));
      expect(isSameProcess(process)).toBe(true);
      await until(() => readFileSync(join(dir, 'unit.log'), 'utf8').includes('started'));
      expect(readFileSync(join(dir, 'unit.log'), 'utf8').trim()).toBe(`started ${dir} a "b" 100% $HOME \\`);
      expect(runner.find({ serviceKey: KEY, name: 'envoy-1' })?.pid).toBe(process.pid);
    });

    test('the next agent finds the running units of a service, and no units of other services', async () => {
      const process = await runner.start(specOf(FOREVER));
      await runner.close();
      runner = fixture.open();
      expect([...(await runner.list(KEY, undefined))]).toEqual([['envoy-1', process]]);
      expect((await runner.list('000000000000', undefined)).size).toBe(0);
    });

    test('the end of a unit is reported, including an adopted one', async () => {
      const process = await runner.start(specOf(FOREVER));
      await runner.close();
      runner = fixture.open();
      await runner.list(KEY, undefined);
      const events: UnitEvent[] = [];
      runner.onEvent((event) => events.push(event));
      globalThis.process.kill(process.pid, 'SIGKILL');
      await until(() => events.length > 0);
      expect(events[0]?.unit).toEqual({ serviceKey: KEY, name: 'envoy-1' });
      expect(events[0]?.type).toBe(runner.kind === 'systemd' ? 'restarted' : 'exited');
    });

    test('a retired unit that ends is not restarted', async () => {
      const process = await runner.start(specOf(FOREVER));
      const events: UnitEvent[] = [];
      runner.onEvent((event) => events.push(event));
      await runner.retire({ serviceKey: KEY, name: 'envoy-1' });
      globalThis.process.kill(process.pid, 'SIGTERM');
      await until(() => events.length > 0);
      expect(events).toEqual([{ type: 'exited', unit: { serviceKey: KEY, name: 'envoy-1' } }]);
    });

    test('stopping ends a program that ignores SIGTERM, and leaves nothing', async () => {
      const stubborn: ProcessRef = await runner.start(specOf(`process.on('SIGTERM', () => {}); ${FOREVER}`));
      await until(() => readFileSync(join(dir, 'unit.log'), 'utf8').includes('started'));
      await runner.stop({ serviceKey: KEY, name: 'envoy-1' }, 200);
      expect(isSameProcess(stubborn)).toBe(false);
      expect((await runner.list(KEY, undefined)).size).toBe(0);
      await runner.removeService(KEY);
    });

    test('a program that does not exist is an error and leaves no unit running', async () => {
      const missing = specOf('', { command: ['/nonexistent/program'] });
      await expect(runner.start(missing)).rejects.toThrow('ENOENT');
      expect(runner.find(missing)).toBeUndefined();
    });
  });
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt += 1) {
    if (isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('the condition was not met within 10 s');
}

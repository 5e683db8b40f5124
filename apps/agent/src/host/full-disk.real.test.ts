import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '@flotilla/kit/testing';
import { deriveServiceLayout, fleet } from '@flotilla/proto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SmallDisk } from '../testing/small-disk.ts';
import { ask, createTestHost, desiredOf, ensureTestEnvoy, eventually, type TestHost } from '../testing/test-host.ts';

let fixture: TestHost;
let disk: SmallDisk;
beforeEach(async () => {
  await ensureTestEnvoy();
  fixture = await createTestHost();
  disk = new SmallDisk(fixture.dirs.dataDir);
});
afterEach(async () => {
  await disk.free();
  await fixture.destroy().catch(() => undefined);
  disk.unmount();
});

it.runIf(process.getuid?.() === 0)(
  'an agent that starts on a full disk watches what runs, brings it back, and notes it when there is space (fault M3)',
  async () => {
    const port = await findFreePort();
    const layout = deriveServiceLayout(fixture.dirs, 'svc');
    const first = fixture.open();
    first.setDesired(desiredOf({ port }));
    const { envoyPid } = await first.settled('svc', 1n);
    await first.close({ stopServices: false });
    await disk.fill();
    expect(() => writeFileSync(`${fixture.dirs.dataDir}/probe`, 'x')).toThrow('ENOSPC');

    const second = fixture.open();
    expect(await second.settled('svc', 1n)).toMatchObject({ phase: fleet.NodePhase.RUNNING, envoyPid });
    second.setDesired(desiredOf({ port }));
    process.kill(envoyPid, 'SIGKILL');
    const report = await eventually(() => {
      const now = second.reports()[0];
      return now && now.envoyPid !== 0 && now.envoyPid !== envoyPid && now.phase === fleet.NodePhase.RUNNING
        ? now
        : undefined;
    });
    expect(await ask(port)).toBe('one');

    await disk.free();
    await eventually(() => {
      const { instances } = JSON.parse(readFileSync(`${layout.dataDir}/state.json`, 'utf8')) as {
        instances: Array<{ n: number; wasLive?: boolean }>;
      };
      return instances.some(({ n, wasLive }) => n > 1 && wasLive === true) || undefined;
    });
    await second.close({ stopServices: false });
    const third = fixture.open();
    expect(await third.settled('svc', 1n)).toMatchObject({ envoyPid: report.envoyPid, restarts: 0 });
  },
);

it.runIf(process.getuid?.() === 0)(
  'an Envoy that is started again on a full disk serves, even if changes interrupt its start',
  async () => {
    const port = await findFreePort();
    const host = fixture.open();
    host.setDesired(desiredOf({ port }));
    const { envoyPid } = await host.settled('svc', 1n);
    await disk.fill();

    process.kill(envoyPid, 'SIGKILL');
    for (let generation = 2n; generation < 30n; generation += 1n) {
      host.setDesired(desiredOf({ port, generation, body: 'two' }));
      await sleep(10);
    }
    await eventually(() => host.reports()[0]?.phase === fleet.NodePhase.RUNNING);
    expect(await ask(port)).toBe('one');

    await disk.free();
    await eventually(async () => (await ask(port).catch(() => '')) === 'two' || undefined);
  },
);

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { createSilentLogger, type ProcessRef } from '@flotilla/kit';
import { deriveServiceLayout, fleet } from '@flotilla/proto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openServiceHome } from '../service-home.ts';
import { ServiceUsers } from '../service-users.ts';
import type { UnitRunner } from '../units/types.ts';
import { ShieldProcess } from './shield-process.ts';

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'flotilla-shield-process-'));
});
afterEach(() => rm(base, { recursive: true, force: true }));

const spec = (threads: number) => create(fleet.ShieldSpecSchema, { threads });

/** A filter over a runner that starts nothing: what runs is what was started and neither stopped nor `crash`ed. */
async function setUp({ isWarm = true }: { isWarm?: boolean } = {}) {
  const dirs = { dataDir: join(base, 'data'), runtimeDir: join(base, 'run') };
  const { state } = await openServiceHome({
    dirs,
    logger: createSilentLogger(),
    serviceId: 'edge',
    nodeId: 'node',
    users: new ServiceUsers({ dataDir: dirs.dataDir, logger: createSilentLogger() }),
  });
  const units = new Map<string, ProcessRef>();
  const said: string[] = [];
  const policy: { digest: string | undefined } = { digest: 'd' };
  const serving: { unit: string | undefined } = { unit: undefined };
  const runner: UnitRunner = {
    kind: 'supervisor',
    start: async ({ name }) => {
      const process = { pid: units.size + 1, startTime: '' };
      units.set(name, process);
      said.push(`start ${name}`);
      return process;
    },
    list: async () => units,
    find: ({ name }) => units.get(name),
    retire: async () => undefined,
    stop: async ({ name }) => {
      if (units.delete(name)) said.push(`stop ${name}`);
    },
    endStrays: async () => undefined,
    removeService: async () => undefined,
    onEvent: () => () => undefined,
    close: async () => undefined,
  };
  const shield = new ShieldProcess({
    serviceId: 'edge',
    layout: deriveServiceLayout(dirs, 'edge'),
    dataDir: dirs.dataDir,
    identity: undefined,
    state,
    runner,
    flotillaCommand: ['/usr/bin/flotilla'],
    isWarm,
    readPolicy: async () => policy.digest,
    readServing: async () => serving.unit,
    onEnding: async () => {
      said.push('ending');
    },
    onEnded: () => said.push('ended'),
    onRevival: () => said.push('revival'),
  });
  const take = () => said.splice(0);
  return { shield, state, said, take, units, policy, serving, crash: () => units.clear() };
}

test('a filter that runs with the same arguments is left alone', async () => {
  const { shield, said } = await setUp();
  await shield.ensure(spec(1));
  await shield.ensure(spec(1));
  expect(said).toEqual(['start shield-1']);
});

test('a filter with other arguments ends once its successor stands by, and is read once more before', async () => {
  const { shield, said } = await setUp();
  await shield.ensure(spec(1));
  await shield.ensure(spec(2));
  expect(said).toEqual(['start shield-1', 'start shield-2', 'ending', 'stop shield-1']);
  await shield.ensure(spec(2));
  expect(said).toHaveLength(4);
});

test('a filter of an earlier version, which cannot hand over, ends before its successor starts', async () => {
  const { shield, state, said } = await setUp();
  await shield.ensure(spec(1));
  await state.update({ shield: { unit: 'shield-1', argsDigest: 'of another version' } });
  await shield.ensure(spec(1));
  expect(said).toEqual(['start shield-1', 'ending', 'stop shield-1', 'ended', 'start shield-2']);
});

test('a filter that was asked to be restarted is replaced once', async () => {
  const { shield, said } = await setUp();
  await shield.ensure(spec(1));
  shield.restartNext();
  await shield.ensure(spec(1));
  await shield.ensure(spec(1));
  expect(said).toEqual(['start shield-1', 'start shield-2', 'ending', 'stop shield-1']);
});

test('a filter whose successor does not start continues', async () => {
  const { shield, units, policy } = await setUp();
  await shield.ensure(spec(1));
  policy.digest = undefined;
  const replaced = expect(shield.ensure(spec(2))).rejects.toThrow('the running one continues');
  await vi.waitFor(() => expect(units.has('shield-2')).toBe(true));
  units.delete('shield-2');
  await replaced;
  expect([...units.keys()]).toEqual(['shield-1']);
});

describe('a second filter stands by (fault: filter kill -9)', () => {
  test('serves when the first one ends, and gets a successor', async () => {
    const { shield, take, units } = await setUp();
    await shield.ensure(spec(1));
    expect(await shield.ensureStandby(spec(1))).toBeGreaterThan(0);
    expect(await shield.ensureStandby(spec(1))).toBeUndefined();
    expect(take()).toEqual(['start shield-1', 'start shield-2']);
    units.delete('shield-1');
    expect(shield.running).toBe(units.get('shield-2'));
    expect(await shield.ensure(spec(1))).toBeUndefined();
    expect(take()).toEqual(['revival']);
    await shield.ensureStandby(spec(1));
    expect(take()).toEqual(['start shield-3']);
  });

  test('is the one that was killed where systemd starts that one again', async () => {
    const { shield, state, take, policy, serving } = await setUp();
    await shield.ensure(spec(1));
    await shield.ensureStandby(spec(1));
    await shield.ensureStandby(spec(1));
    serving.unit = 'shield-2';
    policy.digest = undefined;
    take();
    expect(await shield.ensure(spec(1))).toBeUndefined();
    expect(state.value).toMatchObject({ shield: { unit: 'shield-2' }, shieldStandby: { unit: 'shield-1' } });
    expect(await shield.ensureStandby(spec(1))).toBeGreaterThan(0);
    policy.digest = 'd';
    expect(await shield.ensureStandby(spec(1))).toBeUndefined();
    expect(take()).toEqual(['revival']);
    await shield.stop();
    expect(take()).toEqual(['stop shield-1', 'ending', 'stop shield-2', 'ended']);
  });

  test('goes on where it serves before the agent has noticed', async () => {
    const { shield, take, units, policy, serving } = await setUp();
    await shield.ensure(spec(1));
    await shield.ensureStandby(spec(1));
    await shield.ensureStandby(spec(1));
    take();
    policy.digest = undefined;
    serving.unit = 'shield-2';
    await shield.alignStandby('d', new AbortController().signal);
    expect([...units.keys()]).toEqual(['shield-1', 'shield-2']);
    units.delete('shield-1');
    serving.unit = 'shield-3';
    await shield.ensure(spec(2));
    expect(take()).toEqual(['revival', 'start shield-3', 'ending', 'stop shield-2']);
  });

  test('is started again after it was killed, and the one that serves is left alone', async () => {
    const { shield, take, units } = await setUp();
    await shield.ensure(spec(1));
    await shield.ensureStandby(spec(1));
    await shield.ensureStandby(spec(1));
    units.delete('shield-2');
    expect(await shield.ensure(spec(1))).toBeUndefined();
    await shield.ensureStandby(spec(1));
    expect(take()).toEqual(['start shield-1', 'start shield-2', 'start shield-3']);
  });

  test('waits longer when it ends again and again before it stands by', async () => {
    const { shield, units, policy } = await setUp();
    policy.digest = undefined;
    await shield.ensure(spec(1));
    await shield.ensureStandby(spec(1));
    units.delete('shield-2');
    await shield.ensureStandby(spec(1));
    expect(units.has('shield-3')).toBe(true);
    units.delete('shield-3');
    expect(await shield.ensureStandby(spec(1))).toBeGreaterThan(0);
    expect([...units.keys()]).toEqual(['shield-1']);
  });

  test('is ended when it does not take the policy that the other one serves by', async () => {
    const { shield, units, policy } = await setUp();
    const soon = AbortSignal.timeout(200);
    await shield.ensure(spec(1));
    await shield.ensureStandby(spec(1));
    await shield.ensureStandby(spec(1));
    await shield.alignStandby('d', soon);
    expect([...units.keys()]).toEqual(['shield-1', 'shield-2']);
    policy.digest = 'another';
    vi.useFakeTimers({ shouldAdvanceTime: true, advanceTimeDelta: 1000 });
    const aligned = shield.alignStandby('d', new AbortController().signal);
    await vi.advanceTimersByTimeAsync(20_000);
    await aligned;
    vi.useRealTimers();
    expect([...units.keys()]).toEqual(['shield-1']);
  });

  test('is ended first when the service needs no filter any more', async () => {
    const { shield, take } = await setUp();
    await shield.ensure(spec(1));
    await shield.ensureStandby(spec(1));
    await shield.stop();
    expect(take()).toEqual(['start shield-1', 'start shield-2', 'stop shield-2', 'ending', 'stop shield-1', 'ended']);
  });

  test('is not started where none is wanted, and ended where one was', async () => {
    const { shield, take } = await setUp({ isWarm: false });
    await shield.ensure(spec(1));
    expect(await shield.ensureStandby(spec(1))).toBeUndefined();
    expect(take()).toEqual(['start shield-1']);
  });
});

test('a filter that ended comes back at once, and one that ends again and again only after a while', async () => {
  const { shield, said, crash } = await setUp();
  await shield.ensure(spec(1));
  shield.noteLive();
  crash();
  expect(await shield.ensure(spec(1))).toBeUndefined();
  expect(said).toEqual(['start shield-1', 'revival', 'ended', 'start shield-2']);
  shield.noteLive();
  crash();
  expect(await shield.ensure(spec(1))).toBeGreaterThan(0);
  expect(shield.running).toBeUndefined();
});

test('filters that no record explains are ended, and the recorded one is adopted', async () => {
  const { shield, units } = await setUp();
  await shield.ensure(spec(1));
  units.set('shield-0', { pid: 7, startTime: '' });
  units.set('envoy-9', { pid: 8, startTime: '' });
  await shield.adopt();
  expect([...units.keys()]).toEqual(['shield-1', 'envoy-9']);
});

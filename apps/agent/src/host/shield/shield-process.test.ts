import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { createSilentLogger, type ProcessRef } from '@flotilla/kit';
import { deriveServiceLayout, fleet } from '@flotilla/proto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openServiceHome } from '../service-home.ts';
import type { UnitRunner } from '../units/types.ts';
import { ShieldProcess } from './shield-process.ts';

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'flotilla-shield-process-'));
});
afterEach(() => rm(base, { recursive: true, force: true }));

const spec = (threads: number) => create(fleet.ShieldSpecSchema, { threads });

/** A filter over a runner that starts nothing: what runs is what was started and neither stopped nor `crash`ed. */
async function setUp() {
  const dirs = { dataDir: join(base, 'data'), runtimeDir: join(base, 'run') };
  const { state } = await openServiceHome({
    dirs,
    logger: createSilentLogger(),
    serviceId: 'edge',
    nodeId: 'node',
    takenUids: new Set(),
  });
  const units = new Map<string, ProcessRef>();
  const said: string[] = [];
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
    onEnding: async () => {
      said.push('ending');
    },
    onEnded: () => said.push('ended'),
    onRevival: () => said.push('revival'),
  });
  return { shield, said, units, crash: () => units.clear() };
}

test('a filter that runs with the same arguments is left alone', async () => {
  const { shield, said } = await setUp();
  await shield.ensure(spec(1));
  await shield.ensure(spec(1));
  expect(said).toEqual(['start shield-1']);
});

test('a filter with other arguments is read once more, ended, and started anew', async () => {
  const { shield, said } = await setUp();
  await shield.ensure(spec(1));
  await shield.ensure(spec(2));
  expect(said).toEqual(['start shield-1', 'ending', 'stop shield-1', 'ended', 'start shield-2']);
});

test('a filter that was asked to be restarted is started anew once', async () => {
  const { shield, said } = await setUp();
  await shield.ensure(spec(1));
  shield.restartNext();
  await shield.ensure(spec(1));
  await shield.ensure(spec(1));
  expect(said).toEqual(['start shield-1', 'ending', 'stop shield-1', 'ended', 'start shield-2']);
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

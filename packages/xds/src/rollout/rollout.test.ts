import { describe, expect, it } from 'vitest';
import { DeltaStream } from '../delta-stream.ts';
import { createSnapshot, type ResourceRef, type SnapshotPart, toResourceKey } from '../resource.ts';
import { RESOURCE_TYPE } from '../resource-type.ts';
import { createPart, EnvoyModel } from '../testing/envoy-model.ts';
import { RolloutWorld } from '../testing/rollout-world.ts';

const { cluster, endpoint, secret, route, listener } = RESOURCE_TYPE;

interface Look {
  readonly edit?: number;
  readonly bad?: boolean;
}

const part = (typeUrl: string, name: string, needs: ResourceRef[], { edit = 0, bad = false }: Look = {}) =>
  createPart({ typeUrl, name }, { needs, edit, bad });
const endpointsOf = (name: string) => part(endpoint, name, []);
const clusterOf = (name: string, look?: Look) => part(cluster, name, [{ typeUrl: endpoint, name }], look);
const routeOf = (name: string, to: string, look?: Look) => part(route, name, [{ typeUrl: cluster, name: to }], look);
const listenerOf = (name: string, to: string, look?: Look) =>
  part(listener, name, [{ typeUrl: route, name: to }], look);

/** A cluster with its endpoints, a route to it, and a listener with that route. */
const simple = (name: string, look: Look = {}): SnapshotPart[] => [
  clusterOf(name),
  endpointsOf(name),
  routeOf('main', name, look),
  listenerOf('http', 'main'),
];

function stateOf(world: RolloutWorld, typeUrl: string, name: string) {
  return world.rollout.status().resources.find((one) => one.typeUrl === typeUrl && one.name === name)?.state;
}

const has = (world: RolloutWorld, typeUrl: string, name: string) =>
  world.envoy.active.has(toResourceKey({ typeUrl, name }));

/** Delivers everything on the wire and lets a fifth of a second pass. */
async function exchange(world: RolloutWorld): Promise<void> {
  for (let round = 0; round < 20; round += 1) {
    while (world.answer() || world.process());
    await world.tick(10);
  }
}

async function openLive(target: readonly SnapshotPart[], options: ConstructorParameters<typeof RolloutWorld>[0] = {}) {
  const world = new RolloutWorld(options);
  world.setTarget(target);
  world.connect();
  await world.settle();
  return world;
}

describe('a rollout', () => {
  it('is in progress without an Envoy, and live once the whole target is in use', async () => {
    const world = new RolloutWorld();
    world.setTarget(simple('a'));
    expect(world.rollout.status().state).toBe('in_progress');
    world.connect();
    await world.settle();
    expect(world.rollout.status()).toMatchObject({ state: 'live', retiring: [] });
    expect(world.rollout.lastGood()?.version).toBe(createSnapshot(simple('a')).version);
  });

  it('sends a listener whose address is taken again, less and less often, until the address is free', async () => {
    const world = new RolloutWorld();
    const http = toResourceKey({ typeUrl: listener, name: 'http' });
    world.envoy.taken.add(http);
    world.setTarget(simple('a'));
    world.connect();
    await exchange(world);
    expect(stateOf(world, listener, 'http')).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('cannot bind'),
    });
    const countIn = async (seconds: number) => {
      const before = world.responses;
      for (let second = 0; second < seconds; second += 1) {
        await world.tick(1_000);
        while (world.answer() || world.process());
      }
      return world.responses - before;
    };
    // After 1, 3, 7, 15, 31, 63, 123 and 183 seconds.
    expect(await countIn(10)).toBe(3);
    expect(await countIn(60)).toBe(3);
    expect(await countIn(120)).toBe(2);
    world.envoy.taken.clear();
    // Its agent is replaced, or its stream was cut: the next stream goes on with it.
    world.connect();
    await world.settle();
    expect(world.rollout.status().state).toBe('live');
  });

  it('sends a listener that is refused for another reason only once', async () => {
    const world = await openLive([...simple('a'), listenerOf('odd', 'main', { bad: true })]);
    expect(stateOf(world, listener, 'odd')).toMatchObject({ kind: 'refused' });
    const before = world.responses;
    for (let second = 0; second < 120; second += 1) {
      await world.tick(1_000);
      while (world.answer() || world.process());
    }
    expect(world.responses).toBe(before);
  });

  it('keeps a cluster for requests that an older route sent to it', async () => {
    const world = await openLive(simple('old'));
    world.setTarget(simple('new'));
    await exchange(world);
    expect(world.rollout.status()).toMatchObject({ state: 'live', retiring: [{ name: 'old' }, { name: 'old' }] });
    await world.tick(600);
    await exchange(world);
    expect(has(world, cluster, 'old')).toBe(true);
    await world.tick(500);
    await exchange(world);
    expect(has(world, cluster, 'old')).toBe(false);
  });

  it('keeps the dependencies of a replaced listener as long as its connections may drain', async () => {
    const world = await openLive(simple('a'));
    world.setTarget([clusterOf('b'), endpointsOf('b'), routeOf('next', 'b'), listenerOf('http', 'next')]);
    await exchange(world);
    await world.tick(2_500);
    await exchange(world);
    expect(world.rollout.status().state).toBe('live');
    expect(has(world, cluster, 'a')).toBe(true);
    await world.settle();
    expect(has(world, cluster, 'a')).toBe(false);
  });

  it('holds the dependents of a cluster that does not warm, and continues when it does', async () => {
    const cold = part(cluster, 'c', [{ typeUrl: secret, name: 'late' }]);
    const world = await openLive([...simple('a'), cold, routeOf('other', 'c'), listenerOf('l2', 'other')]);
    expect(world.rollout.status().state).toBe('partial');
    expect(stateOf(world, cluster, 'c')).toEqual({ kind: 'acknowledged' });
    expect(stateOf(world, listener, 'l2')).toMatchObject({ kind: 'held', by: { name: 'other' } });
    expect(stateOf(world, listener, 'http')).toEqual({ kind: 'warmed' });
    const late = part(secret, 'late', []);
    world.setTarget([...simple('a'), cold, late, routeOf('other', 'c'), listenerOf('l2', 'other')]);
    await world.settle();
    expect(world.rollout.status().state).toBe('live');
  });

  it('relies on acknowledgements after the time limit if Envoy cannot be asked what is warm', async () => {
    const world = await openLive(simple('a'), { probe: 'failing' });
    expect(world.rollout.status().state).toBe('live');
    expect(stateOf(world, cluster, 'a')).toEqual({ kind: 'acknowledged' });
    expect(has(world, listener, 'http')).toBe(true);
  });

  it('sends the latest of many edits while Envoy is slow to answer', async () => {
    const world = await openLive(simple('a'));
    world.responses = 0;
    for (let edit = 1; edit <= 20; edit += 1) world.setTarget(simple('a', { edit }));
    await world.settle();
    expect(world.rollout.status().state).toBe('live');
    expect(world.responses).toBeLessThanOrEqual(9);
  });

  it('drops a half-done target for a newer one', async () => {
    const world = await openLive(simple('a'));
    world.setTarget(simple('b'));
    for (let step = 0; step < 3; step += 1) {
      world.answer();
      world.process();
    }
    world.setTarget(simple('c'));
    await world.settle();
    expect(world.rollout.status()).toMatchObject({ state: 'live', retiring: [] });
    expect([has(world, cluster, 'a'), has(world, cluster, 'b'), has(world, cluster, 'c')]).toEqual([
      false,
      false,
      true,
    ]);
    expect(world.dangling).toEqual([]);
  });

  it('releases held resources when the culprit is fixed', async () => {
    const world = await openLive(simple('a'));
    const held = [endpointsOf('a'), routeOf('main', 'a', { edit: 1 }), listenerOf('http', 'main')];
    world.setTarget([clusterOf('a', { bad: true }), ...held]);
    await world.settle();
    expect(stateOf(world, route, 'main')).toMatchObject({ kind: 'held', by: { name: 'a' } });
    world.setTarget([clusterOf('a', { edit: 2 }), ...held]);
    await world.settle();
    expect(world.rollout.status().state).toBe('live');
  });
});

describe('an Envoy that restarts', () => {
  it('gets the last good set while the controller is away', async () => {
    const lastGood = createSnapshot(simple('a'));
    const world = new RolloutWorld({ lastGood });
    world.connect();
    await world.settle();
    expect([has(world, listener, 'http'), has(world, cluster, 'a')]).toEqual([true, true]);
  });

  it('gets the last good set first and the target after it', async () => {
    const world = await openLive(simple('a'));
    world.setTarget([clusterOf('a', { bad: true }), ...simple('a').slice(1)]);
    await world.settle();
    world.restart();
    for (let step = 0; step < 30 && !has(world, listener, 'http'); step += 1) {
      expect(world.envoy.outbox.filter(({ errorDetail }) => errorDetail)).toEqual([]);
      world.answer();
      world.process();
      await world.tick(10);
    }
    expect(has(world, listener, 'http')).toBe(true);
    await world.settle();
    expect(stateOf(world, cluster, 'a')?.kind).toBe('refused');
  });

  it('does not get content over which several predecessors ended', async () => {
    const world = await openLive(simple('a'), { endsMax: 3 });
    world.setTarget([clusterOf('killer'), endpointsOf('killer'), ...simple('a')]);
    const key = toResourceKey({ typeUrl: cluster, name: 'killer' });
    let ends = 0;
    for (let step = 0; step < 400; step += 1) {
      world.answer();
      const dies = world.envoy.inbox[0]?.resources.some(
        ({ name, typeUrl }) => name === 'killer' && typeUrl === cluster,
      );
      if (dies) {
        ends += 1;
        world.restart();
      } else world.process();
      await world.tick(50);
    }
    expect(ends).toBe(3);
    expect(stateOf(world, cluster, 'killer')).toMatchObject({
      reason: 'Envoy ended 3 times while it took this version',
    });
    expect([has(world, listener, 'http'), world.envoy.active.has(key)]).toEqual([true, false]);
  });

  it('takes over from the one it replaces, which is still served and leads again when the new one fails', async () => {
    const world = await openLive(simple('a'));
    const { binding } = world.rollout.openSession();
    const envoy = new EnvoyModel(false);
    const stream = new DeltaStream({
      ...binding,
      send: (response) => {
        envoy.inbox.push(response);
        return true;
      },
    });
    envoy.connect();
    expect(world.rollout.status().state).toBe('in_progress');
    world.setTarget(simple('b'));
    await exchange(world);
    expect(has(world, cluster, 'b')).toBe(true);
    stream.close();
    binding.onClose();
    await exchange(world);
    expect(world.rollout.status().state).toBe('live');
  });
});

describe('an agent that restarts beside a running Envoy', () => {
  it('sends nothing that Envoy has', async () => {
    const world = await openLive(simple('a'));
    world.responses = 0;
    world.restartAgent(world.rollout.lastGood());
    world.setTarget(simple('a'));
    await world.settle();
    expect(world.rollout.status().state).toBe('live');
    expect(world.responses).toBe(0);
  });

  it('continues from what Envoy has, in order', async () => {
    const world = await openLive(simple('a'));
    world.restartAgent(world.rollout.lastGood());
    world.setTarget(simple('b'));
    await world.settle();
    expect(world.rollout.status()).toMatchObject({ state: 'live', retiring: [] });
    expect([has(world, cluster, 'a'), has(world, cluster, 'b'), world.dangling]).toEqual([false, true, []]);
  });

  it('breaks nothing if the file was lost and Envoy runs unknown content', async () => {
    const world = await openLive(simple('a'));
    world.restartAgent(undefined);
    await world.settle();
    expect([has(world, cluster, 'a'), has(world, listener, 'http')]).toEqual([true, true]);
    world.setTarget(simple('b'));
    await world.settle();
    expect(world.rollout.status()).toMatchObject({ state: 'live', retiring: [] });
    expect([has(world, cluster, 'a'), has(world, cluster, 'b'), world.dangling]).toEqual([false, true, []]);
  });
});

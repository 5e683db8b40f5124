import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ResourceRef, type SnapshotPart, toResourceKey } from '../resource.ts';
import { RESOURCE_TYPE } from '../resource-type.ts';
import { createPart, readContent } from '../testing/envoy-model.ts';
import { RolloutWorld } from '../testing/rollout-world.ts';

const { cluster, endpoint, secret, extension, route, listener } = RESOURCE_TYPE;

/** Variants of a resource in a target; `bad` ones are refused. */
const edit = fc.record({ edit: fc.nat(2), bad: fc.integer({ min: 0, max: 19 }).map((n) => n === 13) });
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

const targetArbitrary = fc
  .record({
    clusters: fc.array(fc.tuple(fc.constantFrom(...names('c', 4)), edit, fc.option(fc.constantFrom('s0', 's1'))), {
      minLength: 1,
      maxLength: 4,
    }),
    edits: fc.array(edit, { minLength: 12, maxLength: 12 }),
    routes: fc.array(fc.tuple(fc.constantFrom('r0', 'r1', 'r2'), edit, fc.array(fc.nat(3), { maxLength: 2 })), {
      maxLength: 3,
    }),
    listeners: fc.array(
      fc.tuple(fc.constantFrom('l0', 'l1'), edit, fc.nat(2), fc.option(fc.constantFrom('x0', 'x1'))),
      {
        maxLength: 2,
      },
    ),
  })
  .map(toParts);

type Look = { edit: number; bad: boolean };

/** Closed under references: the dependencies of a resource are in the target. */
function toParts(spec: {
  clusters: Array<[string, Look, string | null]>;
  edits: Look[];
  routes: Array<[string, Look, number[]]>;
  listeners: Array<[string, Look, number, string | null]>;
}): SnapshotPart[] {
  const parts: SnapshotPart[] = [];
  const add = (typeUrl: string, name: string, look: Look, needs: ResourceRef[] = []) => {
    parts.push(createPart({ typeUrl, name }, { ...look, needs }));
  };
  const clusters = [...new Map(spec.clusters.map((one) => [one[0], one])).values()];
  for (const [index, [name, look, secretName]] of clusters.entries()) {
    const needs = [{ typeUrl: endpoint, name }, ...(secretName ? [{ typeUrl: secret, name: secretName }] : [])];
    add(cluster, name, look, needs);
    add(endpoint, name, { ...(spec.edits[index] ?? look), bad: false });
  }
  for (const [index, name] of ['s0', 's1'].entries())
    add(secret, name, spec.edits[4 + index] ?? { edit: 0, bad: false });
  const routes = [...new Map(spec.routes.map((one) => [one[0], one])).values()];
  for (const [name, look, uses] of routes) {
    const used = new Set(uses.map((use) => clusters[use % clusters.length]?.[0] ?? 'c0'));
    add(
      route,
      name,
      look,
      [...used].map((target) => ({ typeUrl: cluster, name: target })),
    );
  }
  for (const [index, name] of ['x0', 'x1'].entries())
    add(extension, name, spec.edits[6 + index] ?? { edit: 0, bad: false });
  const listeners = [...new Map(spec.listeners.map((one) => [one[0], one])).values()];
  for (const [name, look, use, filter] of routes.length === 0 ? [] : listeners) {
    const needs: ResourceRef[] = [{ typeUrl: route, name: routes[use % routes.length]?.[0] ?? 'r0' }];
    if (filter) needs.push({ typeUrl: extension, name: filter });
    add(listener, name, look, needs);
  }
  return parts;
}

const stepArbitrary = fc.oneof(
  { weight: 2, arbitrary: targetArbitrary.map((parts) => ({ kind: 'target' as const, parts })) },
  { weight: 10, arbitrary: fc.constant({ kind: 'process' as const }) },
  { weight: 10, arbitrary: fc.constant({ kind: 'answer' as const }) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 3_000 }).map((ms) => ({ kind: 'tick' as const, ms })) },
  { weight: 1, arbitrary: fc.constant({ kind: 'reconnect' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
  { weight: 1, arbitrary: fc.boolean().map((file) => ({ kind: 'agent restart' as const, file })) },
  { weight: 2, arbitrary: fc.integer({ min: 4, max: 40 }).map((times) => ({ kind: 'go on' as const, times })) },
);

type Step = typeof stepArbitrary extends fc.Arbitrary<infer T> ? T : never;

const storyArbitrary = fc.record({
  namesCulprits: fc.boolean(),
  probe: fc.constantFrom('model' as const, 'model' as const, 'failing' as const),
  steps: fc.array(stepArbitrary, { minLength: 5, maxLength: 80 }),
  last: targetArbitrary,
});

async function play(story: { namesCulprits: boolean; probe: 'model' | 'failing'; steps: Step[] }) {
  const world = new RolloutWorld({ ...story, endsMax: Infinity });
  world.connect();
  let targets = 1;
  for (const step of story.steps) {
    if (step.kind === 'target') {
      targets += 1;
      world.setTarget(step.parts);
    } else if (step.kind === 'process') world.process();
    else if (step.kind === 'answer') world.answer();
    else if (step.kind === 'tick') await world.tick(step.ms);
    else if (step.kind === 'go on') {
      for (let time = 0; time < step.times; time += 1) {
        world.answer();
        world.process();
        await world.tick(30);
      }
    } else if (step.kind === 'agent restart') {
      targets += 1;
      world.restartAgent(step.file ? world.rollout.lastGood() : undefined);
    } else if (step.kind === 'reconnect') {
      targets += 1;
      world.connect();
    } else {
      targets += 1;
      world.restart();
    }
  }
  return { world, targets };
}

it('a rollout never shows Envoy a dangling reference, and ends in the state of the target', async () => {
  await fc.assert(
    fc.asyncProperty(storyArbitrary, async (story) => {
      const { world, targets } = await play(story);
      world.setTarget(story.last);
      await world.settle();
      if (story.probe === 'model') expect(world.dangling).toEqual([]);
      expectOutcome(world, story.last);
      // Each target moves all of its resources at most once, a culprit costs a logarithmic number of groups, and a
      // restart costs everything again.
      expect(world.responses).toBeLessThan((targets + 1) * story.last.length * 12 + 200);
    }),
    { numRuns: 400 },
  );
});

/** Bad resources are refused or held, their dependents are held, all others are live, and nothing else is left. */
function expectOutcome(world: RolloutWorld, target: readonly SnapshotPart[]): void {
  const status = world.rollout.status();
  const blocked = new Set<string>();
  for (const { typeUrl, name, state, version, liveVersion } of status.resources) {
    const key = toResourceKey({ typeUrl, name });
    const part = target.find(({ resource }) => toResourceKey(resource) === key);
    if (!part) throw new Error(`${name} is not in the target`);
    const { bad, needs } = readContent(part.resource);
    if (state.kind === 'refused') expect(bad).toBe(true);
    if (state.kind === 'held') expect(needs.map(toResourceKey)).toContain(toResourceKey(state.by));
    if (state.kind === 'refused' || state.kind === 'held') blocked.add(key);
    if (state.kind === 'warmed') expect(liveVersion).toBe(version);
    if (bad) expect(['refused', 'held', 'waiting']).toContain(state.kind);
    if (state.kind === 'waiting') expect([endpoint, secret, extension, route]).toContain(typeUrl);
  }
  expect(status.state).toBe(blocked.size > 0 ? 'partial' : 'live');
  if (blocked.size > 0) return;
  expect(status.retiring).toEqual([]);
  const wanted = new Map(target.map(({ resource }) => [toResourceKey(resource), resource.version]));
  for (const [key, resource] of world.envoy.active) expect(wanted.get(key)).toBe(resource.version);
  for (const { resource } of target) {
    const whole = resource.typeUrl === cluster || resource.typeUrl === listener;
    if (whole) expect(world.envoy.active.get(toResourceKey(resource))?.version).toBe(resource.version);
  }
}

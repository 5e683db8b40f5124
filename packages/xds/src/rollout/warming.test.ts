import { expect, test } from 'vitest';
import { createResource, type ResourceRef, toResourceKey } from '../resource.ts';
import { RESOURCE_TYPE } from '../resource-type.ts';
import { FakeTimers } from '../testing/fake-timers.ts';
import type { WarmthProbe } from '../warmth.ts';
import { AskedNames } from './asked-names.ts';
import { EnvoyCopies } from './envoy-copies.ts';
import { Warming } from './warming.ts';

const ENDPOINTS = { typeUrl: RESOURCE_TYPE.endpoint, name: 'backend' };
const CLUSTER = createResource({ typeUrl: RESOURCE_TYPE.cluster, name: 'backend' }, new Uint8Array([1]));
const KEY = toResourceKey(CLUSTER);

/** An Envoy that has acknowledged a cluster and requests its endpoints. */
function setUp(probe: WarmthProbe | undefined) {
  const timers = new FakeTimers();
  const { clock } = timers;
  const copies = new EnvoyCopies(clock, { graceMs: 0, drainMs: 0 });
  copies.markSent({ key: KEY, resource: CLUSTER, dependsOn: [toResourceKey(ENDPOINTS)] });
  copies.acknowledge(KEY, CLUSTER.version);
  const asked = new AskedNames();
  asked.add(ENDPOINTS.typeUrl, [ENDPOINTS.name]);
  const changes: Array<readonly ResourceRef[]> = [];
  const limits = { graceMs: 0, drainMs: 0, warmMs: 5_000, restoreMs: 0, endsMax: 3 };
  const memory = { clock, timers, limits, probe };
  const warming = new Warming({ memory, copies, asked, onChange: (resend) => changes.push(resend) });
  /** Lets time pass; each answer of the probe arrives before the next question. */
  const pass = async (ms: number) => {
    for (let gone = 0; gone < ms; gone += 10) {
      timers.advance(10);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { warming, copies, changes, pass, clock };
}

test('a resource that the probe finds in use stays warm', async () => {
  let isUsed = false;
  const { warming, copies, changes, pass } = setUp({ check: async () => new Set(isUsed ? [KEY] : []) });
  warming.follow();
  await pass(100);
  expect(copies.get(KEY)?.warm).toBe(false);
  isUsed = true;
  await pass(200);
  expect(copies.get(KEY)?.warm).toBe(true);
  expect(changes).toEqual([[]]);
});

test('the dependencies of a cold cluster are sent again once, after a second', async () => {
  const { warming, changes, pass } = setUp({ check: async () => new Set() });
  warming.follow();
  await pass(900);
  expect(changes).toEqual([]);
  await pass(5_000);
  expect(changes).toEqual([[ENDPOINTS]]);
});

test('a failing probe is reported once, until it answers again', async () => {
  let fails = true;
  const check = async () => {
    if (fails) throw new Error('no admin endpoint');
    return new Set<string>();
  };
  const { warming, changes, pass } = setUp({ check });
  warming.follow();
  await pass(500);
  expect(warming.probeFails).toBe(true);
  expect(changes).toEqual([[]]);
  fails = false;
  await pass(500);
  expect(warming.probeFails).toBe(false);
});

test('a cold copy is awaited until its time limit', () => {
  const { warming, clock, copies } = setUp({ check: async () => new Set() });
  expect(warming.nextLimit()).toBe((copies.get(KEY)?.ackedAt ?? 0) + 5_000);
  clock.advance(5_001);
  expect(warming.nextLimit()).toBe(Infinity);
});

test('without a probe, every acknowledged resource counts as warm', () => {
  const { warming, copies } = setUp(undefined);
  warming.noteAcknowledged(KEY);
  expect(copies.get(KEY)?.warm).toBe(true);
});

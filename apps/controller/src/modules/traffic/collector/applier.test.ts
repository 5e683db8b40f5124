import type { Db } from '@flotilla/db';
import { createSilentLogger } from '@flotilla/kit';
import { expect, it, onTestFinished } from 'vitest';
import { Applier, type ApplyBatches, type BatchDeltas } from './applier.ts';

const batch = (sequence: number, clientId = 'c'): BatchDeltas => ({
  projectId: 'p',
  clientId,
  serviceId: 's',
  epoch: 'e',
  sequence,
  deltas: [],
  now: new Date(0),
});

function createApplier(applyBatches: ApplyBatches): Applier {
  const applier = new Applier({ db: {} as Db, logger: createSilentLogger(), applyBatches, intervalMs: 1 });
  onTestFinished(() => applier.close());
  return applier;
}

it('applies what gathers in one transaction, in order', async () => {
  const groups: number[][] = [];
  const applier = createApplier(async (_, inputs) => {
    groups.push(inputs.map(({ sequence }) => sequence));
    return inputs.map(() => 'applied' as const);
  });
  await Promise.all([1, 2, 3].map((sequence) => applier.add(batch(sequence))));
  expect(groups).toEqual([[1, 2, 3]]);
});

it('tries again until the database answers', async () => {
  let failures = 2;
  const applier = createApplier(async (_, inputs) => {
    failures -= 1;
    if (failures >= 0) throw new Error('not now');
    return inputs.map(() => 'applied' as const);
  });
  await expect(applier.add(batch(1))).resolves.toBe('applied');
});

it('a batch that is refused holds back its sender only', async () => {
  const applied: string[] = [];
  let isBroken = true;
  const applier = createApplier(async (_, inputs) => {
    if (isBroken && inputs.some(({ clientId }) => clientId === 'broken')) throw new Error('refused');
    applied.push(...inputs.map(({ clientId, sequence }) => `${clientId} ${sequence}`));
    return inputs.map(() => 'applied' as const);
  });
  const broken = [applier.add(batch(1, 'broken')), applier.add(batch(2, 'broken'))];
  await applier.add(batch(1, 'whole'));
  expect(applied).toEqual(['whole 1']);
  isBroken = false;
  await Promise.all(broken);
  expect(applied).toEqual(['whole 1', 'broken 1', 'broken 2']);
});

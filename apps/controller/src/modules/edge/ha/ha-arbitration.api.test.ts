import type { MemberReport } from '@flotilla/ha';
import { fleet } from '@flotilla/proto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Appliance, createHaFleet, type HaFleet } from './testing/ha-fleet.ts';
import { memberReport, sendReport } from './testing/reports.ts';

const WAIT = { interval: 200 };

let t: HaFleet;
beforeAll(async () => {
  t = await createHaFleet();
});
afterAll(() => t?.close());

const orders = ({ agent }: Appliance) =>
  agent.commands
    .filter(({ subType }) => subType === 'SUB_YIELD')
    .map(({ payloadJson }) => JSON.parse(Buffer.from(payloadJson).toString()));

/** Two members that are active, both connected, and report every now and then. */
async function splitPair(epochs: readonly [number, number], isDeaf = true) {
  const { pair, members } = await t.createPair();
  const roles: Array<Partial<MemberReport>> = epochs.map((epoch) => ({ role: 'active', epoch, bound_ms: 500 }));
  const report = async () => {
    for (const [i, member] of members.entries())
      await sendReport(
        member,
        memberReport({ pair_id: pair.id, peer_ok: !isDeaf, peer_role: isDeaf ? null : 'active', ...roles[i] }),
      );
  };
  for (const [i, { agent }] of members.entries())
    agent.react = ({ subType }) => {
      if (subType === 'SUB_YIELD') roles[i] = { ...roles[i], role: 'standby', reason: 'arbitrated' };
      return { outcome: fleet.Outcome.DONE };
    };
  return { pair, members, report };
}

it('of two active members that do not hear each other, the one with the older term is asked to stand by', async () => {
  const { pair, members, report } = await splitPair([4, 3]);
  const [first, second] = members;
  await vi.waitFor(async () => {
    await report();
    expect(orders(second)).toEqual([{ hold_ms: 60_000 }]);
  }, WAIT);
  expect(orders(first)).toEqual([]);
  await report();
  const { body } = await t.ha('GET', `/${pair.id}`);
  expect(body.status).toBe('degraded');
  const audit = await t.owner.call('GET', `/api/v3/audit/logs?project=${t.project}&action=ha_pair.arbitrate`);
  expect(audit.body.items).toMatchObject([
    { actor: { kind: 'system' }, resource: { type: 'ha_pair', id: pair.id }, changes: { yields: second.name } },
  ]);
});

it('members that hear each other settle it by themselves', async () => {
  const deaf = await splitPair([2, 1]);
  const hearing = await splitPair([2, 1], false);
  await vi.waitFor(async () => {
    await hearing.report();
    await deaf.report();
    expect(orders(deaf.members[1])).toHaveLength(1);
  }, WAIT);
  expect(hearing.members.flatMap(orders)).toEqual([]);
});

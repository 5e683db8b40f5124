import { sleep } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PairStage } from './testing/pair-stage.ts';
import type { StageMember } from './testing/stage-member.ts';

let stage: PairStage;
let first: StageMember;
let second: StageMember;

beforeAll(async () => {
  stage = await PairStage.open({
    wires: ['m0', 'm1', 'mgmt'],
    config: { hb: { port: 8650, interval_ms: 100, misses: 8 } },
  });
  [first, second] = stage.members;
  await stage.begin();
});
afterAll(() => stage?.close());

const roles = async () => [(await first.state())?.role, (await second.state())?.role];
const BAD = { loss: 0.15, duplicates: 0.3, delayMs: [2, 60] } as const;

describe('a pair on bad cables', () => {
  it('stays as it is while they lose, delay, repeat and reorder frames, and takes over from a dead member', async () => {
    const capture = await stage.capture();
    const traffic = await stage.client();
    const before = (await second.state())?.changes.length;
    for (const wire of ['m0', 'm1', 'mgmt'] as const)
      for (const direction of [0, 1] as const) stage.network.fault(wire, direction, BAD);
    await stage.until(async () => {
      const state = await second.state();
      return (state?.paths.every(({ loss_pct, rtt_ms }) => loss_pct > 5 && (rtt_ms ?? 0) > 4) ?? false) === true;
    }, 'loss and delay are in the report');
    await sleep(2000);
    expect(await roles()).toEqual(['active', 'standby']);
    expect((await second.state())?.changes).toHaveLength(before ?? -1);
    expect((await second.state())?.rejected.old).toBeGreaterThan(0);
    await first.stop('SIGKILL');
    await stage.untilServing(second);
    await sleep(500);
    for (const wire of ['m0', 'm1', 'mgmt'] as const)
      for (const direction of [0, 1] as const) stage.network.fault(wire, direction, {});
    const { members } = await traffic.stop();
    await capture.stop();
    // Answers overtake each other.
    expect([members[0], members.at(-1)]).toEqual(['m0', 'm1']);
    // The kernel of the dead member answers until the lease ends.
    expect(capture.claims.slice(0, 2)).toEqual(['m0', 'm1']);
    expect(capture.claims.at(-1)).toBe('m1');
    expect(capture.overlapMs).toBeLessThanOrEqual((await second.state())?.bound_ms ?? 0);
    first.start();
    await stage.untilCalm();
  });

  it('stays as it is without the network for management, and while the gateway is dead', async () => {
    for (const direction of [0, 1] as const) stage.network.fault('mgmt', direction, { isDown: true });
    stage.network.setLink('gateway', 'down');
    await stage.until(async () => {
      const states = [await first.state(), await second.state()];
      return states.every((state) => {
        const codes = state?.alarms.map(({ code }) => code) ?? [];
        return codes.includes('path_down') && codes.includes('gateway_unreachable');
      });
    }, 'both report it');
    await sleep(1500);
    expect(await roles()).toEqual(['standby', 'active']);
    await first.stop('SIGKILL');
    await stage.until(() => !first.programs().includes('ping'), 'nobody asks the gateway for the killed daemon');
    first.start();
    for (const direction of [0, 1] as const) stage.network.fault('mgmt', direction, {});
    stage.network.setLink('gateway', 'up');
    await stage.untilCalm();
  });

  it.each([
    ['that cannot send', 0],
    ['that cannot receive', 1],
  ] as const)('hands over from a member %s on the network of the addresses', async (_, direction) => {
    const [holder, other] = (await roles())[0] === 'active' ? [first, second] : [second, first];
    const capture = await stage.capture();
    const traffic = await stage.client();
    await sleep(200);
    stage.network.fault(`m${holder.slot}`, direction, { isDown: true });
    await stage.untilServing(other);
    expect(await other.state()).toMatchObject({ reason: 'handover', peer_ok: true });
    expect(await holder.state()).toMatchObject({ gateway_reachable: false });
    await sleep(300);
    const { members } = await traffic.stop();
    await capture.stop();
    expect(members).toEqual([`m${holder.slot}`, `m${other.slot}`]);
    expect(capture.holders.slice(0, 2)).toEqual([`m${holder.slot}`, `m${other.slot}`]);
    // The holder says it only if somebody has asked.
    expect(capture.claims.at(-1)).toBe(`m${other.slot}`);
    expect(capture.claims.length).toBeLessThanOrEqual(2);
    stage.network.fault(`m${holder.slot}`, direction, {});
    await stage.untilCalm();
  });
});

import { execFileSync } from 'node:child_process';
import { HEARTBEAT_PORT } from '@flotilla/ha';
import { sleep } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PairStage, SHARED, SHARED_6 } from './testing/pair-stage.ts';
import type { StageMember } from './testing/stage-member.ts';
import { GATEWAY } from './testing/stage-network.ts';

let stage: PairStage;
let first: StageMember;
let second: StageMember;

beforeAll(async () => {
  const addresses = [SHARED, SHARED_6].map((address) => ({ address, interface: 'eth0' }));
  // A busy machine must not make members fail over by themselves.
  const hb = { port: HEARTBEAT_PORT, interval_ms: 200, misses: 5 } as const;
  stage = await PairStage.open({ config: { addresses, next_hops: [GATEWAY], hb } });
  [first, second] = stage.members;
  await stage.begin();
});
afterAll(() => stage?.close());

/** Returns the host that has the address in the eyes of a neighbour. */
function believed(host: 'client' | 'gateway', address: string): string {
  const namespace = stage.network.namespace(host);
  const output = execFileSync('ip', ['-n', namespace, '-j', 'neigh', 'show', 'to', address, 'dev', 'eth0']).toString();
  return stage.network.macs.get(JSON.parse(output)[0]?.lladdr) ?? 'nobody';
}

describe('the addresses of a pair', () => {
  it('are allowed to be listened on by both members', () => {
    for (const { namespace } of stage.members)
      for (const family of ['ipv4', 'ipv6'])
        expect(
          execFileSync('ip', ['netns', 'exec', namespace, 'sysctl', '-n', `net.${family}.ip_nonlocal_bind`]).toString(),
        ).toBe('1\n');
  });

  it('move with a failover, and all neighbours learn it at once, in both families', async () => {
    const captures = [await stage.capture(SHARED), await stage.capture(SHARED_6)];
    const clients = [await stage.client(), await stage.client(`http://[${SHARED_6}]:9000/`)];
    await stage.until(() => believed('client', SHARED_6) === 'm0', 'the client has asked');
    await sleep(300);
    expect((await first.order('failover')).status).toBe(200);
    await stage.untilServing(second);
    expect([believed('client', SHARED), believed('client', SHARED_6)]).toEqual(['m1', 'm1']);
    await sleep(1200);
    const verdicts = await Promise.all(clients.map((client) => client.stop()));
    await Promise.all(captures.map((capture) => capture.stop()));
    for (const verdict of verdicts) {
      expect(verdict.members).toEqual(['m0', 'm1']);
      // Connections that were open do not move.
      expect(verdict.failed).toBeLessThanOrEqual(2);
    }
    for (const { holders } of captures) {
      expect(holders.slice(0, 2)).toEqual(['m0', 'm1']);
      // IPv6 still answers requests of the last moment from an address that is gone.
      expect(holders.at(-1)).toBe('m1');
    }
    expect(captures[0]?.claims).toEqual(['m0', 'm1']);
    expect(captures[0]?.announcements.one).toBeGreaterThanOrEqual(3);
    expect(second.held).toEqual([SHARED, SHARED_6]);
  });

  it('have a lease in both families, which the kernel ends for a member that is killed', async () => {
    await second.stop('SIGKILL');
    await stage.untilServing(first);
    expect([first.held, second.held]).toEqual([[SHARED, SHARED_6], []]);
    second.start();
    await stage.untilCalm();
  });

  it('are disputed while another host answers for them', async () => {
    const gateway = ['-n', stage.network.namespace('gateway'), 'addr'];
    execFileSync('ip', [...gateway, 'add', `${SHARED}/32`, 'dev', 'eth0']);
    execFileSync('ip', [...gateway, 'add', `${SHARED_6}/128`, 'dev', 'eth0', 'nodad']);
    await first.order('failover');
    await stage.untilServing(second);
    await stage.until(async () => {
      const state = await second.state();
      return state?.vips.every(({ holder }) => holder === 'conflict') === true;
    }, 'both are disputed');
    expect((await second.state())?.alarms).toContainEqual(
      expect.objectContaining({ code: 'vip_conflict', message: `Another host answers for ${SHARED}, ${SHARED_6}.` }),
    );
    expect((await first.state())?.vips.map(({ holder }) => holder)).toEqual(['peer', 'peer']);
    execFileSync('ip', [...gateway, 'del', `${SHARED}/32`, 'dev', 'eth0']);
    execFileSync('ip', [...gateway, 'del', `${SHARED_6}/128`, 'dev', 'eth0']);
    await stage.until(async () => {
      const state = await second.state();
      return state?.vips.every(({ holder }) => holder === 'self') === true;
    }, 'they are not disputed any more');
  });

  it('are disputed between members that cannot hear each other, and have one holder when they can', async () => {
    const wrong = ['lladdr', '02:00:00:00:00:99', 'nud', 'permanent'];
    for (const [i, member] of stage.members.entries()) {
      const peer = 2 - i;
      member.ip('neigh', 'replace', `192.0.2.${peer}`, 'dev', 'eth0', ...wrong);
      member.ip('neigh', 'replace', `198.51.100.${peer}`, 'dev', 'eth1', ...wrong);
    }
    await stage.until(async () => {
      const state = await first.state();
      return state?.role === 'active' && state.vips.every(({ holder }) => holder === 'conflict');
    }, 'the first member takes over, and finds the other one');
    for (const member of stage.members)
      for (const device of ['eth0', 'eth1']) member.ip('neigh', 'flush', 'dev', device, 'nud', 'permanent');
    await stage.untilCalm();
    await stage.until(() => first.isHolding !== second.isHolding, 'one member has the addresses');
  });
});

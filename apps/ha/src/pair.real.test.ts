import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { sleep } from '@flotilla/kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PairStage, SHARED } from './testing/pair-stage.ts';
import type { StageMember } from './testing/stage-member.ts';

let stage: PairStage;
let first: StageMember;
let second: StageMember;

beforeAll(async () => {
  stage = await PairStage.open();
  [first, second] = stage.members;
});
afterAll(() => stage?.close());
/** Each case begins with the first member active and the second one standing by. */
beforeEach(async () => {
  stage.network.setIsolation('off');
  for (const member of stage.members) {
    member.signal('SIGCONT');
    await member.stop('SIGKILL');
    for (const device of ['eth0', 'eth1']) {
      member.ip('link', 'set', device, 'up');
      member.ip('neigh', 'flush', 'all', 'nud', 'permanent');
    }
  }
  await stage.begin();
});

/** Runs a fault under traffic. Returns who answered, and the longest silence. */
async function withTraffic(work: () => Promise<void>) {
  const probe = await stage.probe();
  await sleep(300);
  await work();
  await sleep(300);
  return probe.stop();
}

describe('the second member takes over', () => {
  it('from one that is killed, whose address the kernel removes', async () => {
    const { answers } = await withTraffic(async () => {
      first.signal('SIGKILL');
      await stage.untilServing(second);
    });
    expect(answers).toEqual(['m0', 'm1']);
    expect(await second.state()).toMatchObject({ reason: 'peer_dead', peer_ok: false, epoch: 2 });
  });

  it('from one that is stopped, which stands by when it is started again', async () => {
    await first.stop('SIGTERM');
    expect(first.isHolding).toBe(false);
    await stage.untilServing(second);
    for (const start of ['first', 'second']) {
      first.start();
      await stage.until(async () => {
        const state = await first.state();
        return state?.role === 'standby' && state.peer_role === 'active' && !state.maintenance;
      }, `it stands by after the ${start} start`);
      await first.stop('SIGTERM');
    }
  });

  it('from one that is frozen, which gives up when it wakes', async () => {
    first.signal('SIGSTOP');
    await stage.untilServing(second);
    expect(first.isHolding).toBe(false);
    first.signal('SIGCONT');
    await stage.until(async () => (await first.state())?.role === 'standby', 'the first member stands by');
    const { changes } = (await first.state()) ?? { changes: [] };
    expect(changes.at(-1)).toMatchObject({ from: 'active', role: 'standby' });
    expect([first.isHolding, second.isHolding]).toEqual([false, true]);
  });

  it('from one whose cables are cut, which fences itself', async () => {
    for (const device of ['eth0', 'eth1']) first.ip('link', 'set', device, 'down');
    await stage.until(async () => (await first.state())?.role === 'fenced', 'the first member is fenced');
    await stage.untilServing(second);
    expect(await first.state()).toMatchObject({ reason: 'cut_off', gateway_reachable: false, peer_ok: false });
    for (const device of ['eth0', 'eth1']) first.ip('link', 'set', device, 'up');
    await stage.until(async () => (await first.state())?.role === 'standby', 'the first member stands by');
    expect(second.isHolding).toBe(true);
  });

  it('from one that it does not hear but that hears it, which yields', async () => {
    first.ip('neigh', 'replace', '192.0.2.2', 'lladdr', '02:00:00:00:00:99', 'dev', 'eth0', 'nud', 'permanent');
    first.ip('neigh', 'replace', '198.51.100.2', 'lladdr', '02:00:00:00:00:99', 'dev', 'eth1', 'nud', 'permanent');
    await stage.untilServing(second);
    expect(await first.state()).toMatchObject({ role: 'standby', reason: 'conflict', peer_role: 'active' });
  });

  it('and both serve if they do not hear each other and reach the gateway, until one is asked to yield', async () => {
    first.ip('link', 'set', 'eth1', 'down');
    // Both directions end at once. If one of them ended later, the first member would hear the second one serve, and yield.
    stage.network.setIsolation('on');
    await stage.until(async () => (await second.state())?.role === 'active', 'the second member is active, too');
    await stage.until(
      async () => (await first.state())?.peer_ok === false,
      'the first member does not hear the second one',
    );
    expect([first.isHolding, second.isHolding]).toEqual([true, true]);
    expect((await first.order('yield', { hold_ms: 4000 })).status).toBe(200);
    await stage.untilServing(second);
    expect(await first.state()).toMatchObject({ role: 'standby', reason: 'arbitrated', peer_ok: false });
    // It does not stay away for longer than it was asked to.
    await stage.until(async () => (await first.state())?.role === 'active', 'the first member serves again');
    stage.network.setIsolation('off');
    first.ip('link', 'set', 'eth1', 'up');
    await stage.untilCalm();
    await stage.until(() => first.isHolding !== second.isHolding, 'one member has the addresses');
  });

  it('from one that is asked to hand over, and refuses nobody', async () => {
    const { answers } = await withTraffic(async () => {
      expect((await first.call('POST', '/orders', { order: 'failover' })).status).toBe(200);
      await stage.untilServing(second);
    });
    expect(answers).toEqual(['m0', 'm1']);
    expect(await second.state()).toMatchObject({ reason: 'handover', peer_role: 'standby' });
  });
});

describe('the second member stays', () => {
  it('while one of two paths is down', async () => {
    first.ip('link', 'set', 'eth1', 'down');
    await stage.until(async () => {
      const state = await second.state();
      return state?.paths.some(({ up }) => !up) === true;
    }, 'the path is down');
    expect(await second.state()).toMatchObject({ role: 'standby', peer_ok: true, alarms: [{ code: 'path_down' }] });
    expect(first.isHolding).toBe(true);
  });

  it('while it is not ready, unless the operator insists', async () => {
    await second.call('POST', '/orders', { order: 'ready', ready: false });
    await stage.until(async () => (await first.state())?.peer_dataplane === 'down', 'the first member knows');
    const refused = await first.call('POST', '/orders', { order: 'failover' });
    expect([refused.status, refused.body]).toEqual([409, { refused: true, reason: 'peer_not_ready' }]);
    expect((await second.call('POST', '/orders', { order: 'failover' })).body.reason).toBe('not_active');
    expect((await first.call('POST', '/orders', { order: 'failover', force: true })).status).toBe(200);
    await stage.untilServing(second);
  });

  it('in maintenance, also when it starts again and its peer is dead', async () => {
    await second.call('POST', '/orders', { order: 'maintenance', enabled: true });
    await stage.until(async () => (await first.state())?.peer_role === 'maintenance', 'the first member knows');
    expect((await first.call('POST', '/orders', { order: 'failover', force: true })).body.reason).toBe(
      'peer_in_maintenance',
    );
    await second.stop('SIGKILL');
    await first.stop('SIGKILL');
    second.start();
    await stage.until(async () => (await second.state())?.gateway_reachable === true, 'the second member runs');
    await sleep(2000);
    expect(await second.state()).toMatchObject({ role: 'maintenance', maintenance: true });
    expect(second.isHolding).toBe(false);
    await second.call('POST', '/orders', { order: 'maintenance', enabled: false });
    await stage.untilServing(second);
  });

  it('away from no address of an interface that is there, if another interface is missing', async () => {
    await Promise.all([first.stop('SIGKILL'), second.stop('SIGKILL')]);
    const addresses = [
      { address: '192.0.2.11', interface: 'nowhere' },
      { address: SHARED, interface: 'eth0' },
    ];
    first.start({ addresses });
    await stage.untilServing(first);
    expect((await first.state())?.alarms).toContainEqual(expect.objectContaining({ code: 'addresses_failed' }));
  });

  it('when datagrams are forged, replayed or noise', async () => {
    const send = (bytes: Buffer) => {
      const file = join(stage.dir, 'datagram');
      writeFileSync(file, bytes);
      execFileSync(
        'ip',
        [
          'netns',
          'exec',
          first.namespace,
          'socat',
          '-u',
          `FILE:${file}`,
          'UDP4-SENDTO:192.0.2.2:8650,bind=192.0.2.1:8650,reuseaddr,reuseport',
        ],
        { stdio: 'ignore' },
      );
    };
    await first.stop('SIGKILL');
    for (const length of [1, 124, 512, 900]) send(randomBytes(length));
    await stage.untilServing(second);
    const { rejected } = (await second.state()) ?? { rejected: {} };
    expect(rejected).toMatchObject({ length: expect.any(Number), format: expect.any(Number) });
  });
});

it('both members run at a higher priority than other programs', () => {
  for (const { pid = 0 } of [first, second]) expect(getPriority(pid)).toBe(-10);
});

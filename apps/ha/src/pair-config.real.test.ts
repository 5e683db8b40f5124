import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createId, sleep } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PairStage, SHARED, SHARED_6 } from './testing/pair-stage.ts';
import type { StageConfig, StageMember } from './testing/stage-member.ts';

let stage: PairStage;
let first: StageMember;
let second: StageMember;

beforeAll(async () => {
  stage = await PairStage.open();
  [first, second] = stage.members;
  await stage.begin();
});
afterAll(() => stage?.close());

async function applied(member: StageMember, change: Partial<StageConfig>) {
  const config_rev = member.config.config_rev + 1;
  member.configure({ ...change, config_rev });
  await stage.until(async () => (await member.state())?.config_rev_applied === config_rev, 'the file is applied');
}

const other = { address: '192.0.2.11', interface: 'eth0' };
const codes = async (member: StageMember) => (await member.state())?.alarms.map(({ code }) => code);

describe('a changed file is applied to a member that runs', () => {
  it('with addresses that are added and deleted, while those that stay are not interrupted', async () => {
    const traffic = await stage.client();
    const before = await first.state();
    for (const member of stage.members)
      await applied(member, {
        addresses: [...member.config.addresses, other, { address: SHARED_6, interface: 'eth0' }],
      });
    await stage.until(() => first.held.join() === [SHARED, '192.0.2.11', SHARED_6].join(), 'all addresses are there');
    for (const member of stage.members) await applied(member, { addresses: [{ address: SHARED, interface: 'eth0' }] });
    await stage.until(() => first.held.join() === SHARED, 'the others are gone');
    expect(await traffic.stop()).toMatchObject({ failed: 0, slow: 0, members: ['m0'] });
    const after = await first.state();
    expect([after?.role, after?.epoch, after?.terms]).toEqual(['active', before?.epoch, before?.terms]);
  });

  it('with priority, preemption, targets, next hops and a slower heartbeat, one member after the other', async () => {
    const changes = (await second.state())?.changes.length;
    const change = {
      preempt: true,
      fence_targets: ['192.0.2.50', '192.0.2.254'],
      next_hops: ['192.0.2.254'],
      hb: { port: 8650, interval_ms: 1000, misses: 2 } as const,
    };
    await applied(first, { ...change, priority: 100 });
    await sleep(1500);
    await applied(second, { ...change, priority: 200 });
    await stage.until(async () => (await second.state())?.lease_ms === 4000, 'the slower pace counts');
    const hb = { port: 8650, interval_ms: 100, misses: 3 } as const;
    await applied(second, { hb, preempt: false });
    await sleep(1500);
    await applied(first, { hb, preempt: false });
    await stage.until(async () => (await first.state())?.lease_ms === 2000, 'the faster pace counts');
    expect((await second.state())?.changes).toHaveLength(changes ?? -1);
  });

  it('not if it is bad, with the reason and without the secret', async () => {
    const secret = randomBytes(31).toString('base64');
    const { config_rev_applied } = (await first.state()) ?? {};
    for (const text of [`{"keys": "${secret}`, JSON.stringify({ ...first.config, keys: [{ id: 1, secret }] })]) {
      first.write(text);
      await stage.until(async () => (await codes(first))?.includes('config_refused') === true, 'the alarm');
      const state = await first.state();
      expect(state).toMatchObject({ role: 'active', config_rev_applied });
      expect(JSON.stringify(state)).not.toContain(secret);
      first.configure({});
      expect((await first.order('reload')).body.alarms).toEqual([]);
    }
    expect(first.isHolding).toBe(true);
  });

  it('with a new secret in three steps, though a member is killed meanwhile, and no heartbeat is refused', async () => {
    const key = (id: number) => ({ id, secret: Buffer.alloc(32, id).toString('base64') });
    const [old = key(1)] = first.config.keys;
    for (const member of stage.members) await applied(member, { keys: [old, key(2)] });
    await applied(first, { send_key: 2 });
    await second.stop('SIGKILL');
    second.start();
    await stage.untilCalm();
    await applied(second, { send_key: 2 });
    for (const member of stage.members) await applied(member, { keys: [key(2)] });
    await sleep(500);
    for (const member of stage.members) {
      const state = await member.state();
      expect(state).toMatchObject({ peer_ok: true });
      expect(Object.keys(state?.rejected ?? {}).filter((reason) => reason !== 'old')).toEqual([]);
      expect(state?.paths.every(({ loss_pct }) => loss_pct === 0)).toBe(true);
    }
    expect((await first.state())?.role).toBe('active');
  });

  it('with a peer that is removed, which is waited for, and one that is added', async () => {
    await applied(first, { has_peer: false, paths: [] });
    await sleep(1000);
    expect(await second.state()).toMatchObject({ role: 'standby', peer_ok: true });
    expect(await codes(first)).toContain('peer_leaving');
    const { paths } = second.config;
    second.deleteFile();
    await stage.until(async () => (await second.state())?.role === 'unpaired', 'the second member is unpaired');
    await stage.until(async () => (await first.state())?.paths.length === 0, 'the peer has gone');
    expect(await first.state()).toMatchObject({ role: 'active', alarms: [] });
    second.configure({});
    const mirrored = paths.map(({ network, local, peer }) => ({ network, local: peer, peer: local }));
    await applied(first, { has_peer: true, paths: mirrored });
    await stage.untilCalm();
    expect((await first.state())?.role).toBe('active');
  });

  it('as of a new member if the pair is another one', async () => {
    const pair_id = createId();
    for (const member of stage.members) await applied(member, { pair_id });
    await stage.untilCalm();
    const states = [await first.state(), await second.state()];
    expect(states.find((state) => state?.role === 'active')).toMatchObject({
      pair_id,
      epoch: 1,
      terms: [{ epoch: 1 }],
    });
  });
});

describe('a daemon without a file', () => {
  it('is unpaired, releases its addresses, and still answers', async () => {
    first.deleteFile();
    await stage.untilServing(second);
    expect(await first.state()).toMatchObject({ role: 'unpaired', pair_id: null, config_rev_applied: 0, vips: [] });
    expect((await first.order('failover')).body.reason).toBe('unpaired');
    expect(first.held).toEqual([]);
    first.configure({});
    await stage.untilCalm();
    expect(await first.state()).toMatchObject({ role: 'standby' });
  });
});

describe('the readiness of services', () => {
  it('decides who serves, and is in the report', async () => {
    const service = { id: createId(), name: 'shop', admin_port: 9901, unit: 'flotilla-shop.service' };
    const addresses = [{ address: SHARED, interface: 'eth0', service }];
    for (const member of stage.members) await applied(member, { addresses });
    const [holder, waiting] = (await first.state())?.role === 'active' ? [first, second] : [second, first];
    const vip = { vip: SHARED, service_id: service.id, service: 'shop', admin_port: 9901, unit: service.unit };
    expect((await waiting.state())?.vips).toMatchObject([{ ...vip, present: false, healthy: false, ready: false }]);
    await stage.until(async () => (await holder.state())?.peer_dataplane === 'down', 'the holder knows');
    const refused = await holder.order('failover');
    expect([refused.status, refused.body.reason]).toEqual([409, 'peer_not_ready']);
    const report = { service_id: service.id, present: true, healthy: true, ready: true };
    expect((await waiting.order('ready', { services: [{ ...report, ready: 'yes' }] })).status).toBe(400);
    expect((await waiting.order('ready', { services: [report] })).body.vips).toMatchObject([{ ...vip, ready: true }]);
    // The proxies of the holder are not ready, so that the other one asks for the addresses.
    await stage.untilServing(waiting);
    expect(await waiting.state()).toMatchObject({ reason: 'handover', peer_dataplane: 'down' });
  });
});

describe('a member of a later version', () => {
  it('is understood, and reported', async () => {
    await second.stop('SIGKILL');
    await stage.untilServing(first);
    const file = join(stage.dir, 'later.json');
    writeFileSync(file, JSON.stringify(second.config));
    const later = stage.runLater(file);
    await stage.until(async () => (await codes(first))?.includes('version_mismatch') === true, 'the alarm');
    expect(await first.state()).toMatchObject({ role: 'active', peer_role: 'standby', peer_ok: true });
    later.kill('SIGKILL');
  });
});

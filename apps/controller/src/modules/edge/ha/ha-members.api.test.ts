import { create } from '@bufbuild/protobuf';
import type { HaPair } from '@flotilla/contract';
import { createId, createSilentLogger } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilRulesExist } from '../../../testing/alert-rules.ts';
import { recordQueries } from '../../../testing/queries.ts';
import { MemberConfigs } from './member-configs.ts';
import { openPairs } from './pairs.ts';
import { type Appliance, createHaFleet, describeHost, type HaFleet, rank } from './testing/ha-fleet.ts';
import { memberReport, reportServing, sendReport, vip } from './testing/reports.ts';

let t: HaFleet;
beforeAll(async () => {
  t = await createHaFleet();
});
afterAll(() => t.close());

const read = async (id: string): Promise<HaPair> => (await t.ha('GET', `/${id}`)).body;
const given = ({ agent }: Appliance) => agent.desired.at(-1)?.ha;
const newName = () => `pair-${createId().slice(-8)}`;

describe('the desired state of a member', () => {
  it('has the pair with the addresses of both, and the same key', async () => {
    const { pair, members } = await t.createPair({ fence_targets: ['192.0.2.254'], next_hops: ['192.0.2.253'] });
    const [first, second] = members;
    await expect.poll(() => given(first)?.pairId).toBe(pair.id);
    await expect.poll(() => given(second)?.pairId).toBe(pair.id);
    expect(given(first)).toMatchObject({
      configRev: 1n,
      slot: 0,
      priority: 200,
      hasPeer: true,
      preempt: false,
      intervalMs: 200,
      misses: 5,
      paths: [
        { network: 'data', local: first.data, peer: second.data },
        { network: 'mgmt', local: expect.stringMatching(/^198\.51/), peer: expect.stringMatching(/^198\.51/) },
      ],
      sendKey: 1,
      fenceTargets: ['192.0.2.254'],
      nextHops: ['192.0.2.253'],
      addresses: [],
    });
    expect(given(second)).toMatchObject({
      slot: 1,
      priority: 100,
      paths: [{ local: second.data, peer: first.data }, {}],
    });
    expect(given(first)?.keys).toEqual(given(second)?.keys);
    expect(given(first)?.keys[0]?.secret).toHaveLength(32);
  });

  it('follows every change, and ends with the pair', async () => {
    const { pair, members } = await t.createPair();
    await t.ha('PUT', `/${pair.id}`, { hb: { misses: 3 } });
    for (const member of members) await expect.poll(() => given(member)).toMatchObject({ configRev: 2n, misses: 3 });
    await t.ha('DELETE', `/${pair.id}`);
    for (const member of members) await expect.poll(() => given(member)).toBeUndefined();
  });

  it('has the addresses of services on either member, for both members', async () => {
    const { members } = await t.createPair();
    const service = await t.load(members[0], '192.0.2.100');
    for (const member of members)
      await expect
        .poll(() => given(member)?.addresses)
        .toMatchObject([{ address: '192.0.2.100', serviceId: service.id }]);
    const command = {
      type: 'UNDEPLOY',
      clients: [{ client_id: members[0].clientId }],
      command: { name: service.name },
    };
    await t.owner.call('POST', `/api/op/clients?project=${t.project}`, command);
    for (const member of members) await expect.poll(() => given(member)?.addresses).toEqual([]);
  });

  it('follows the address of the peer', async () => {
    const { members } = await t.createPair();
    const [first, second] = members;
    await expect.poll(() => given(second)?.paths[0]?.peer).toBe(first.data);
    await describeHost(t, first.clientId, { data: '192.0.2.240' });
    first.agent.readDesired();
    await expect.poll(() => given(first)?.paths[0]?.local).toBe('192.0.2.240');
    await expect.poll(() => given(second)?.paths[0]?.peer).toBe('192.0.2.240');
  });

  it('is not sent again if nothing has changed, and is sent again by a push without a new revision of the pair', async () => {
    const { pair, members } = await t.createPair();
    const [first] = members;
    await expect.poll(() => given(first)?.pairId).toBe(pair.id);
    await first.agent.settled();
    first.agent.readDesired();
    await first.agent.settled();
    const count = first.agent.desired.length;
    first.agent.readDesired();
    await first.agent.settled();
    expect(first.agent.desired).toHaveLength(count);
    const pushed = await t.ha('POST', `/${pair.id}/push`);
    expect(pushed).toMatchObject({ status: 200, body: { config_rev: 1 } });
    await expect.poll(() => first.agent.desired.length).toBeGreaterThan(count);
    expect(given(first)?.configRev).toBe(1n);
  });

  it('of many clients is read with a few queries', async () => {
    const { members } = await t.createPair();
    const others = await Promise.all(Array.from({ length: 30 }, () => t.createClient()));
    const ids = [...others, ...members.map(({ clientId }) => clientId)];
    const { db } = t.database;
    const configs = new MemberConfigs({ db, cipher: t.controller.keyring });
    const askAll = (asked: readonly string[]) => () => Promise.all(asked.map((id) => configs.desiredFor(id)));
    await expect.poll(() => given(members[1])?.hasPeer).toBe(true);
    await Promise.all(members.map(({ agent }) => agent.settled()));
    expect(await recordQueries(db, askAll(ids))).toHaveLength(3);
    expect(await recordQueries(db, askAll(others))).toHaveLength(1);
  });
});

describe('the report of a member', () => {
  it('is in the pair', async () => {
    const { pair, members } = await t.createPair();
    await reportServing(pair.id, members);
    const { members_ha: reports, ...shown } = await read(pair.id);
    expect(shown).toMatchObject({ status: 'live' });
    expect(shown).not.toHaveProperty('missing');
    expect(reports[members[0].clientId]).toMatchObject({
      role: 'active',
      epoch: 1,
      daemon: 'running',
      paths: [{ network: 'data', up: true }, { network: 'mgmt' }],
      reported_at: expect.any(String),
    });
    for (const inner of ['pair_id', 'terms', 'changes', 'rejected', 'lease_ms', 'bound_ms'])
      expect(reports[members[0].clientId]).not.toHaveProperty(inner);
  });

  it.each([
    ['is no JSON', '{'],
    ['is empty', ''],
    ['is another document', '{"role":"active"}'],
    ['has a role that does not exist', JSON.stringify({ ...memberReport(), role: 'boss' })],
    ['is huge', JSON.stringify({ ...memberReport(), reason: 'x'.repeat(300_000) })],
    [
      'has too many alarms',
      JSON.stringify({
        ...memberReport(),
        alarms: Array.from({ length: 101 }, () => ({ code: 'a', level: 'info', message: '' })),
      }),
    ],
    ['has a negative epoch', JSON.stringify({ ...memberReport(), epoch: -1 })],
  ])('is dropped if it %s, and the next one counts', async (_, text) => {
    const { pair, members } = await t.createPair();
    await sendReport(members[0], text);
    expect((await read(pair.id)).members_ha).toEqual({});
    await sendReport(members[0], memberReport({ pair_id: pair.id }));
    expect((await read(pair.id)).members_ha).toHaveProperty(members[0].clientId);
  });

  it('may contain anything that PostgreSQL cannot store', async () => {
    const { pair, members } = await t.createPair();
    const alarms = [{ code: 'odd', level: 'warn' as const, message: 'nul \u0000 half \ud800 end' }];
    await sendReport(members[0], memberReport({ pair_id: pair.id, alarms, rejected: { 'a\u0000b': 1 } }));
    const { members_ha: reports } = await read(pair.id);
    expect(reports[members[0].clientId]?.alarms).toMatchObject([{ message: 'nul  half \ufffd end' }]);
  });

  it.each([
    ...['init', 'active', 'standby', 'demoting', 'maintenance', 'fenced', 'unpaired'].map((role) => ({ role })),
    ...['running', 'absent', 'stale', 'misconfigured'].map((daemon) => ({ daemon })),
    ...['up', 'down', 'unknown'].map((up) => ({ peer_dataplane: up })),
  ])('may say %j', async (said) => {
    const { pair, members } = await t.createPair();
    await sendReport(members[0], { ...memberReport({ pair_id: pair.id }), ...said });
    expect((await read(pair.id)).members_ha[members[0].clientId]).toMatchObject(said);
  });

  it.each(['self', 'peer', 'none', 'conflict'] as const)('may say the holder of an address: %s', async (holder) => {
    const { pair, members } = await t.createPair();
    await sendReport(members[0], memberReport({ pair_id: pair.id, vips: [vip({ holder })] }));
    expect((await read(pair.id)).members_ha[members[0].clientId]?.vips).toMatchObject([{ holder }]);
  });

  it('has every member of the specification', async () => {
    const { pair, members } = await t.createPair();
    const held = vip({ service_id: createId(), service: 'shop', admin_port: 33000, unit: 'shop.service' });
    await sendReport(members[0], memberReport({ pair_id: pair.id, vips: [held] }));
    const report = (await read(pair.id)).members_ha[members[0].clientId];
    const specified = `role epoch since reason daemon peer_role peer_ok paths peer_dataplane gateway_reachable
      fencing_enabled config_rev_applied maintenance vips daemon_version clock_skew_ms alarms`;
    for (const name of specified.split(/\s+/)) expect(report).toHaveProperty(name);
    for (const name of ['vip', 'admin_port', 'unit', 'present', 'healthy', 'held', 'ready', 'holder'])
      expect(report?.vips[0]).toHaveProperty(name);
  });

  it('is ignored from a client of no pair, or for another pair', async () => {
    const { pair, members } = await t.createPair();
    const { pair: other } = await t.createPair();
    const stranger = await t.createAppliance();
    await sendReport(stranger, memberReport({ pair_id: pair.id, role: 'active' }));
    await sendReport(members[0], memberReport({ pair_id: other.id, role: 'active' }));
    expect((await read(pair.id)).members_ha).toEqual({});
    expect((await read(other.id)).members_ha).toEqual({});
    const rows = await t.database.db
      .selectFrom('ha_reports')
      .selectAll()
      .where('client_id', '=', stranger.clientId)
      .execute();
    expect(rows).toEqual([]);
  });

  it('of a daemon without a configuration shows that it is unpaired', async () => {
    const { pair, members } = await t.createPair();
    await sendReport(members[0], memberReport({ role: 'unpaired', config_rev_applied: 0, pair_id: null }));
    expect((await read(pair.id)).members_ha[members[0].clientId]).toMatchObject({ role: 'unpaired' });
  });

  it('announces a change of what screens show, and nothing else', async () => {
    const { pair, members } = await t.createPair();
    const announced = async () => {
      const rows = await t.database.db
        .selectFrom('outbox')
        .select('payload')
        .where('topic', '=', 'ha.reported')
        .execute();
      return rows.filter(({ payload }) => JSON.stringify(payload).includes(pair.id)).length;
    };
    const report = memberReport({ pair_id: pair.id });
    await sendReport(members[0], report);
    const before = await announced();
    expect(before).toBe(1);
    await sendReport(members[0], {
      ...report,
      clock_skew_ms: 3,
      paths: report.paths.map((one) => ({ ...one, loss_pct: 5 })),
    });
    expect(await announced()).toBe(1);
    await sendReport(members[0], { ...report, role: 'active' });
    expect(await announced()).toBe(2);
  });

  it('adds its changes and terms to the history once', async () => {
    const { pair, members } = await t.createPair();
    const now = Date.now();
    const at = (s: number) => new Date(now + s * 1000).toISOString();
    const change = (role: 'active' | 'standby', epoch: number, when: string, more = {}) => ({
      at: when,
      from: 'init' as const,
      role,
      epoch,
      reason: 'peer_dead',
      peer_role: null,
      peer_epoch: null,
      gateway_reachable: true,
      silent_ms: 1000,
      ...more,
    });
    const first = memberReport({
      pair_id: pair.id,
      changes: [change('active', 1, at(0)), change('standby', 1, at(10))],
      terms: [{ epoch: 1, raised_at: at(0), released_at: at(10) }],
    });
    const second = memberReport({
      pair_id: pair.id,
      role: 'active',
      epoch: 2,
      changes: [change('active', 2, at(10))],
      terms: [{ epoch: 2, raised_at: at(10.5), released_at: null }],
    });
    for (let round = 0; round < 3; round += 1) {
      await sendReport(members[0], {
        ...first,
        role: round % 2 ? 'init' : 'standby',
        epoch: 1,
        changes: [...first.changes, ...(round ? [change('standby', 1, at(11))] : [])],
      });
      await sendReport(members[1], second);
    }
    const { body } = await t.ha('GET', `/${pair.id}/history`);
    expect(body.items).toHaveLength(4);
    expect(body.items.find((one: { epoch: number }) => one.epoch === 2)).toMatchObject({
      client_id: members[1].clientId,
      role: 'active',
      failover: { from_client_id: members[0].clientId, gap_ms: 500, bound_ms: 3000, invariant: 'kept' },
      stale_epoch: false,
    });
    expect((await t.ha('GET', `/${pair.id}/history?limit=1`)).body.items).toHaveLength(1);
    expect((await read(pair.id)).alarms ?? []).not.toContainEqual(expect.objectContaining({ code: 'stale_epoch' }));
  });

  it('of an active member with an old epoch raises an alarm', async () => {
    const { pair, members } = await t.createPair();
    await sendReport(members[0], memberReport({ pair_id: pair.id, epoch: 7 }));
    await sendReport(members[1], memberReport({ pair_id: pair.id, role: 'active', epoch: 3 }));
    expect((await read(pair.id)).alarms).toContainEqual(
      expect.objectContaining({ code: 'stale_epoch', level: 'error', client_id: members[1].clientId }),
    );
  });

  it('is bounded, however many changes a member invents', async () => {
    const { pair, members } = await t.createPair();
    for (let round = 0; round < 7; round += 1) {
      const changes = Array.from({ length: 200 }, (_, i) => ({
        at: new Date(Date.now() + round * 200 + i).toISOString(),
        from: 'init' as const,
        role: 'standby' as const,
        epoch: 1,
        reason: 'x',
        peer_role: null,
        peer_epoch: null,
        gateway_reachable: true,
        silent_ms: null,
      }));
      await sendReport(members[0], memberReport({ pair_id: pair.id, changes }));
    }
    const rows = await t.database.db
      .selectFrom('ha_role_changes')
      .select('at')
      .where('pair_id', '=', pair.id)
      .execute();
    expect(rows.length).toBeGreaterThan(500);
    expect(rows.length).toBeLessThanOrEqual(1000);
  });
});

describe('the services of a pair', () => {
  it('have a holder once exactly one member has their address', async () => {
    const { pair, members } = await t.createPair();
    const service = await t.load(members[0], '192.0.2.101');
    const list = async () => (await t.ha('GET', `/${pair.id}/services`)).body.items;
    const [before] = await list();
    expect(before).toMatchObject({
      service_id: service.id,
      service: service.name,
      addresses: ['192.0.2.101'],
      healthy: false,
    });
    expect(before).not.toHaveProperty('holder');
    const held = vip({ vip: '192.0.2.101', service_id: service.id, held: true, holder: 'self' });
    await sendReport(members[0], memberReport({ pair_id: pair.id, role: 'active', vips: [held] }));
    await sendReport(
      members[1],
      memberReport({ pair_id: pair.id, vips: [{ ...held, held: false, holder: 'peer', ready: false }] }),
    );
    expect(await list()).toMatchObject([
      {
        holder: members[0].clientId,
        healthy: true,
        draining: false,
        members: [
          { client_id: members[0].clientId, deployed: true, ready: true },
          { client_id: members[1].clientId, ready: false },
        ],
      },
    ]);
    await sendReport(members[1], memberReport({ pair_id: pair.id, role: 'active', vips: [held] }));
    const [split] = await list();
    expect(split).toMatchObject({ draining: true, healthy: false });
    expect(split).not.toHaveProperty('holder');
  });
});

describe('the key of the heartbeats', () => {
  const applied = (pairId: string, member: Appliance, revision: number) =>
    sendReport(member, memberReport({ pair_id: pairId, config_rev_applied: revision }));

  it('is replaced in steps that both members have to apply', async () => {
    const { pair, members } = await t.createPair();
    const [first, second] = members;
    await expect.poll(() => given(first)?.keys.length).toBe(1);
    const old = given(first)?.keys[0];
    const started = await t.ha('PUT', `/${pair.id}`, { rotate_secret: true });
    expect(started).toMatchObject({ status: 200, body: { state: 'rotating', config_rev: 2 } });
    expect(started.body.alarms).toContainEqual(expect.objectContaining({ code: 'secret_rotating' }));
    for (const member of members)
      await expect.poll(() => given(member)).toMatchObject({ keys: [{ id: 1 }, { id: 2 }], sendKey: 1 });

    await applied(pair.id, first, 2);
    expect((await read(pair.id)).config_rev).toBe(2);
    await applied(pair.id, second, 2);
    for (const member of members)
      await expect.poll(() => given(member)).toMatchObject({ keys: [{ id: 1 }, { id: 2 }], sendKey: 2, configRev: 3n });

    await applied(pair.id, second, 3);
    await applied(pair.id, second, 3);
    expect((await read(pair.id)).state).toBe('rotating');
    await applied(pair.id, first, 3);
    for (const member of members)
      await expect.poll(() => given(member)).toMatchObject({ keys: [{ id: 2 }], sendKey: 2, configRev: 4n });
    expect(await read(pair.id)).toMatchObject({ state: 'ok', config_rev: 4 });
    expect(given(first)?.keys[0]?.secret).not.toEqual(old?.secret);
  });

  it('goes on to be replaced by the next controller', async () => {
    const { pair, members } = await t.createPair();
    await t.ha('PUT', `/${pair.id}`, { rotate_secret: true });
    const { db } = t.database;
    for (const [revision, state] of [
      [2, 'rotating'],
      [3, 'ok'],
    ] as const) {
      // A controller that knows nothing but the tables.
      const next = openPairs({ db, cipher: t.controller.keyring, logger: createSilentLogger() });
      for (const { clientId } of members) {
        const text = JSON.stringify(memberReport({ pair_id: pair.id, config_rev_applied: revision }));
        await next.recordReport(clientId, create(fleet.HaReportSchema, { reportJson: Buffer.from(text) }), new Date());
      }
      expect(await read(pair.id)).toMatchObject({ state, config_rev: revision + 1 });
    }
    await expect.poll(() => given(members[0])).toMatchObject({ keys: [{ id: 2 }], sendKey: 2, configRev: 4n });
  });

  it('moves on without a member that is removed', async () => {
    const { pair, members } = await t.createPair();
    await t.ha('PUT', `/${pair.id}`, { rotate_secret: true });
    await applied(pair.id, members[1], 2);
    await t.owner.call('DELETE', `/api/op/clients/${members[0].clientId}?force=true`);
    await applied(pair.id, members[1], 3);
    expect(await read(pair.id)).toMatchObject({ state: 'rotating', config_rev: 4 });
    await applied(pair.id, members[1], 4);
    expect(await read(pair.id)).toMatchObject({ state: 'ok', config_rev: 5 });
  });

  it('is not replaced twice at once, nor while a member is offline', async () => {
    const { pair, members } = await t.createPair();
    await t.ha('PUT', `/${pair.id}`, { rotate_secret: true });
    const again = await t.ha('PUT', `/${pair.id}`, { rotate_secret: true });
    expect(again).toMatchObject({ status: 409, body: { message: 'a secret rotation is in progress' } });
    expect((await t.ha('PUT', `/${pair.id}`, { preempt: true })).status).toBe(200);
    const {
      pair: other,
      members: [, away],
    } = await t.createPair();
    await t.disconnect(away.agent);
    const offline = await t.ha('PUT', `/${other.id}`, { rotate_secret: true });
    expect(offline).toMatchObject({ status: 409, body: { message: 'an HA pair member is offline' } });
    expect((await read(other.id)).config_rev).toBe(1);
    expect(members).toHaveLength(2);
  });

  it('never leaves the controller in an answer, and is encrypted at rest', async () => {
    const { pair, members } = await t.createPair();
    await expect.poll(() => given(members[0])?.keys.length).toBe(1);
    const secret = Buffer.from(given(members[0])?.keys[0]?.secret ?? []).toString('base64');
    const row = await t.database.db
      .selectFrom('ha_pairs')
      .select('sealed_keys')
      .where('id', '=', pair.id)
      .executeTakeFirstOrThrow();
    expect(row.sealed_keys?.includes(secret)).toBe(false);
    for (const path of [`/${pair.id}`, '', `/${pair.id}/services`, `/${pair.id}/history`, '/eligible'])
      expect(JSON.stringify((await t.ha('GET', path)).body), path).not.toContain(secret);
  });

  it('is made again after the restore of a backup without secrets, the same for both members', async () => {
    const { pair, members } = await t.createPair();
    await t.database.db.updateTable('ha_pairs').set({ sealed_keys: null }).where('id', '=', pair.id).execute();
    await t.ha('PUT', `/${pair.id}`, { preempt: true });
    for (const member of members) await expect.poll(() => given(member)?.configRev).toBe(2n);
    expect(given(members[0])?.keys[0]?.secret).toHaveLength(32);
    expect(given(members[0])?.keys).toEqual(given(members[1])?.keys);
  });
});

describe('the removal of a client that is a member', () => {
  it('is refused without force', async () => {
    const { members } = await t.createPair();
    const answer = await t.owner.call('DELETE', `/api/op/clients/${members[0].clientId}`);
    expect(answer).toMatchObject({ status: 409, body: { code: 'ha.client_is_member' } });
  });

  it('leaves a vacancy with force, which another client can fill', async () => {
    const { pair, members } = await t.createPair();
    await t.load(members[0]);
    const removed = await t.owner.call('DELETE', `/api/op/clients/${members[0].clientId}?force=true`);
    expect(removed.status, JSON.stringify(removed.body)).toBeLessThan(300);
    expect(await read(pair.id)).toMatchObject({
      status: 'awaiting_peer',
      config_rev: 2,
      members: [{ slot: 1, client_id: members[1].clientId }],
      vacancy: { slot: 0, priority: 200, since: expect.any(String), reason: 'force_delete' },
    });
    await expect.poll(() => given(members[1])).toMatchObject({ hasPeer: false, configRev: 2n });
    const known = given(members[1])?.keys[0]?.secret;
    const { clientId } = await t.createAppliance();
    const added = await t.ha('POST', `/${pair.id}/members`, { client_id: clientId, priority: 200 });
    expect(added.body).toMatchObject({ members: [{ slot: 0, client_id: clientId }, { slot: 1 }] });
    await expect.poll(() => given(members[1])).toMatchObject({ hasPeer: true });
    // The removed member may come back. Nobody must hear it.
    expect(given(members[1])).toMatchObject({ keys: [{ id: 2 }], sendKey: 2 });
    expect(given(members[1])?.keys[0]?.secret).not.toEqual(known);
  });

  it('happens with the whole project', async () => {
    const project = await t.createProject(newName());
    const members = [await t.createAppliance({ project }), await t.createAppliance({ project })];
    const made = await t.owner.call('POST', '/api/v3/ha/pairs', { name: newName(), project, members: rank(members) });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    await untilRulesExist(t.database.db, project);
    const url = `/api/v3/setting/project/${project}`;
    const { digest } = (await t.owner.call('GET', `${url}/deletion`)).body;
    const removed = await t.owner.call('DELETE', `${url}?plan=${digest}`);
    expect(removed.status, JSON.stringify(removed.body)).toBe(204);
    const rows = await t.database.db.selectFrom('ha_pairs').select('id').where('project_id', '=', project).execute();
    expect(rows).toEqual([]);
  });

  it('deletes a pair of this client alone', async () => {
    const only = await t.createAppliance();
    const { body } = await t.ha('POST', '', { name: newName(), members: rank([only]) });
    await t.owner.call('DELETE', `/api/op/clients/${only.clientId}?force=true`);
    expect((await t.ha('GET', `/${body.id}`)).status).toBe(404);
  });
});

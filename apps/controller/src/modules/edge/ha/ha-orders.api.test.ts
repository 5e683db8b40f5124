import { createId } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Appliance, createHaFleet, type HaFleet, rank } from './testing/ha-fleet.ts';
import { memberReport, reportServing, sendReport } from './testing/reports.ts';

let t: HaFleet;
beforeAll(async () => {
  t = await createHaFleet();
});
afterAll(() => t.close());

/** The first member is active, and both report. */
async function serving() {
  const { pair, members } = await t.createPair();
  await reportServing(pair.id, members);
  const fail = (body: unknown = {}, query = '') => t.ha('POST', `/${pair.id}/failover${query}`, body);
  const maintain = (body: unknown, query = '') => t.ha('POST', `/${pair.id}/maintenance${query}`, body);
  return { pair, members, fail, maintain };
}

/** The commands of the daemon: sub type and payload. */
const asked = ({ agent }: Appliance) =>
  agent.commands.map(({ subType, payloadJson }) => [subType, JSON.parse(Buffer.from(payloadJson).toString())]);

const refuse = (reason: string) => () => ({
  outcome: fleet.Outcome.REFUSED,
  errorCode: 'ha.refused',
  errorMessage: reason,
});

describe('a failover', () => {
  it('asks the active member, and answers when the other one is active', async () => {
    const { pair, members, fail } = await serving();
    const [first, second] = members;
    first.agent.react = () => {
      void (async () => {
        await sendReport(first, memberReport({ pair_id: pair.id, role: 'standby', epoch: 1 }));
        await sendReport(second, memberReport({ pair_id: pair.id, role: 'active', epoch: 2 }));
      })();
      return { outcome: fleet.Outcome.DONE };
    };
    const answer = await fail();
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(answer.body).toMatchObject({
      status: 'failed_over',
      members_ha: { [first.clientId]: { role: 'standby' }, [second.clientId]: { role: 'active', epoch: 2 } },
    });
    expect(asked(first)).toEqual([['SUB_FAILOVER', { force: false }]]);
    expect(asked(second)).toEqual([]);
    expect((await t.ha('GET', `/${pair.id}`)).body.status).toBe('failed_over');
  });

  it('that the active member refuses answers so, and forces it if the caller insists', async () => {
    const { pair, members, fail } = await serving();
    members[0].agent.react = refuse('peer_not_ready');
    const answer = await fail();
    expect(answer).toMatchObject({
      status: 409,
      body: { message: 'failover refused by the active member', refused: true, reason: 'peer_not_ready' },
    });
    expect((await t.ha('GET', `/${pair.id}`)).body.status).toBe('live');
    await fail({ force: true });
    expect(asked(members[0]).at(-1)).toEqual(['SUB_FAILOVER', { force: true }]);
  });

  it('without an answer says that the outcome is unknown', async () => {
    const { pair, members, fail } = await serving();
    members[0].agent.react = () => 'silent';
    expect(await fail()).toMatchObject({
      status: 503,
      body: { message: "no answer from the active member; the failover's outcome is unknown" },
    });
    expect((await t.ha('GET', `/${pair.id}`)).body.status).toBe('handing_over');
  });

  it('is sent once for one Idempotency-Key', async () => {
    const { pair, members } = await serving();
    members[0].agent.react = refuse('peer_not_ready');
    const key = createId();
    const url = `/api/v3/ha/pairs/${pair.id}/failover?project=${t.project}`;
    const send = () => t.owner.call('POST', url, {}, { 'idempotency-key': key });
    const [first, again] = [await send(), await send()];
    expect([first.status, again.status]).toEqual([409, 409]);
    expect(asked(members[0])).toHaveLength(1);
  });

  it('is refused for a pair of one member', async () => {
    const only = await t.createAppliance();
    const { body } = await t.ha('POST', '', { name: `pair-${createId().slice(-8)}`, members: rank([only]) });
    expect(await t.ha('POST', `/${body.id}/failover`, {})).toMatchObject({
      status: 409,
      body: { message: 'the pair has a single member; there is nobody to fail over to' },
    });
  });

  it('is refused while the other member is in maintenance, even with force', async () => {
    const { pair, members, fail } = await serving();
    await sendReport(members[1], memberReport({ pair_id: pair.id, role: 'maintenance', maintenance: true }));
    for (const force of [false, true])
      expect(await fail({ force })).toMatchObject({
        status: 409,
        body: { message: 'the other member is in maintenance' },
      });
    expect(asked(members[0])).toEqual([]);
  });

  it('is refused while nobody who reports is active', async () => {
    const { pair, members, fail } = await serving();
    await sendReport(members[0], memberReport({ pair_id: pair.id, role: 'standby' }));
    expect(await fail()).toMatchObject({ status: 409, body: { refused: true, reason: 'no member is active' } });
    await t.disconnect(members[0].agent);
    expect(await fail()).toMatchObject({ status: 409, body: { message: 'an HA pair member is offline' } });
  });

  it('as a dry run sends nothing', async () => {
    const { pair, members, fail } = await serving();
    expect(await fail({}, '?dry_run=true')).toMatchObject({ status: 200, body: { id: pair.id, dry_run: true } });
    expect(asked(members[0])).toEqual([]);
  });

  it('of a pair that does not exist is not found', async () => {
    expect(await t.ha('POST', `/${createId()}/failover`, {})).toMatchObject({
      status: 404,
      body: { message: 'HA pair not found' },
    });
  });

  it('cannot be sent as a command', async () => {
    const { members } = await serving();
    const answer = await t.owner.call('POST', `/api/op/clients?project=${t.project}`, {
      type: 'HA',
      sub_type: 'SUB_FAILOVER',
      clients: [{ client_id: members[0].clientId }],
      command: { force: true },
    });
    expect(answer.status).toBe(400);
    expect(asked(members[0])).toEqual([]);
  });
});

describe('the maintenance of a member', () => {
  it('begins and ends by its daemon', async () => {
    const { pair, members, maintain } = await serving();
    const [, second] = members;
    second.agent.react = ({ payloadJson }) => {
      const { enabled } = JSON.parse(Buffer.from(payloadJson).toString());
      const role = enabled ? 'maintenance' : 'init';
      void sendReport(second, memberReport({ pair_id: pair.id, role, maintenance: enabled }));
      return { outcome: fleet.Outcome.DONE };
    };
    for (const enabled of [true, false]) {
      const { status, body } = await maintain({ client_id: second.clientId, enabled });
      expect(status, JSON.stringify(body)).toBe(200);
      expect(body.members_ha[second.clientId].maintenance).toBe(enabled);
    }
    expect(asked(second)).toEqual([
      ['SUB_MAINTENANCE', { enabled: true, force: false }],
      ['SUB_MAINTENANCE', { enabled: false, force: false }],
    ]);
  });

  it('is refused with the reason of the member', async () => {
    const { members, maintain } = await serving();
    members[0].agent.react = refuse('peer_not_ready');
    expect(await maintain({ client_id: members[0].clientId, enabled: true })).toMatchObject({
      status: 409,
      body: { message: 'maintenance refused by the member: peer_not_ready', refused: true },
    });
  });

  it('without an answer says so', async () => {
    const { members, maintain } = await serving();
    members[1].agent.react = () => 'silent';
    expect(await maintain({ client_id: members[1].clientId, enabled: true })).toMatchObject({
      status: 503,
      body: { code: 'ha.member_no_answer' },
    });
  });

  it('is refused while the other member is in maintenance, but always ends', async () => {
    const { pair, members, maintain } = await serving();
    await sendReport(members[1], memberReport({ pair_id: pair.id, role: 'maintenance', maintenance: true }));
    expect(await maintain({ client_id: members[0].clientId, enabled: true, force: true })).toMatchObject({
      status: 409,
      body: { message: 'the other member is in maintenance' },
    });
    expect((await maintain({ client_id: members[0].clientId, enabled: false })).status).toBe(200);
  });

  it('is refused for a member that is offline, and for other clients', async () => {
    const { members, maintain } = await serving();
    await t.disconnect(members[1].agent);
    expect(await maintain({ client_id: members[1].clientId, enabled: true })).toMatchObject({
      status: 409,
      body: { message: 'an HA pair member is offline' },
    });
    const stranger = await t.createAppliance();
    expect(await maintain({ client_id: stranger.clientId, enabled: true })).toMatchObject({
      status: 400,
      body: { message: `invalid request: client ${stranger.clientId} is not a member of the pair` },
    });
  });

  it('as a dry run sends nothing', async () => {
    const { members, maintain } = await serving();
    const tried = await maintain({ client_id: members[1].clientId, enabled: true }, '?dry_run=true');
    expect(tried).toMatchObject({ status: 200, body: { dry_run: true } });
    expect(asked(members[1])).toEqual([]);
  });
});

describe('the pending work of a pair', () => {
  it('is retried in the background', async () => {
    const { pair } = await t.createPair();
    expect(await t.ha('POST', `/${pair.id}/sync`)).toMatchObject({ status: 202, body: { pending: [] } });
    expect(await t.ha('POST', `/${pair.id}/sync?dry_run=true`)).toMatchObject({ status: 200 });
    expect((await t.ha('POST', `/${createId()}/sync`)).status).toBe(404);
  });
});

import { createId } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hostFacts, registerClient, type TestFleet } from '../../../testing/fleet.ts';
import { on, payloadOf, TestCommands } from './testing/commands.ts';

let t: TestFleet;
const commands = new TestCommands();
const { connect, send } = commands;
beforeAll(async () => {
  t = await commands.open();
});
afterEach(() => commands.disconnect());
afterAll(() => commands.close());

const ACTIONS = ['SUB_HA_RESEND_GARP', 'SUB_HA_CLEAR', 'SUB_HA_START_ALONE'];
const INTERNAL = { SUB_FAILOVER: { force: true }, SUB_MAINTENANCE: { enabled: true, force: false } };
const REPORT = { role: 'active', epoch: 3, daemon: 'running' };
const answer = () => ({
  outcome: fleet.Outcome.DONE,
  resultJson: Buffer.from(JSON.stringify(REPORT)),
});

const ctx = () => ({ now: new Date(), actor: { kind: 'user', name: 'ada' } });

/** As the routes of pairs send it. */
const dispatch = (
  clientId: string,
  name: 'HA SUB_FAILOVER' | 'HA SUB_MAINTENANCE',
  { body = INTERNAL.SUB_FAILOVER as Record<string, unknown>, project = t.project, waitMs = 10_000 } = {},
) => t.controller.fleet.commands.dispatchInternal(ctx(), { project, name, clientId, body, waitMs });

describe('HA commands', () => {
  it('let everybody read the state and only owners and admins act, however type, sub_type and operation are mixed', async () => {
    const client = await t.createClient('member');
    const agent = await connect(client, answer);
    const { project } = t;
    for (const role of ['viewer', 'editor', 'admin'] as const) {
      const by = await t.createMember(role);
      const asked = { type: 'HA', clients: on(client), command: { project } };
      const read = await send({ ...asked, sub_type: 'SUB_STATUS' }, { by });
      expect(read.body.results[0]).toMatchObject({ outcome: 'done', result: REPORT });
      for (const sub_type of ACTIONS) {
        const { status, body } = await send({ ...asked, sub_type }, { by });
        if (role === 'admin') expect(body.results[0]).toMatchObject({ outcome: 'done', result: REPORT });
        else expect([status, body.code]).toEqual([403, 'command.forbidden']);
      }
      for (const mixed of [
        { type: 'HA', sub_type: 'sub_ha_clear' },
        { type: 'ha', sub_type: 'SUB_STATUS' },
        { type: 'HA', sub_type: 'SUB_STATUS', command: { operation: 'SUB_HA_CLEAR' } },
        { type: 'APPLIANCE', sub_type: 'SUB_HA_CLEAR' },
      ])
        expect((await send({ clients: on(client), ...mixed }, { by })).status, JSON.stringify(mixed)).toBe(400);
    }
    const acted = agent.commands.filter(({ subType }) => subType !== 'SUB_STATUS');
    expect(acted.map(({ subType }) => subType)).toEqual(ACTIONS);
  });

  it('fail at once for a member that is offline', async () => {
    const client = await t.createClient('offline-member');
    for (const sub_type of ['SUB_STATUS', ...ACTIONS]) {
      const { body } = await send({ type: 'HA', sub_type, clients: on(client), command: {} });
      expect(body.results[0]).toMatchObject({ outcome: 'failed', error: { code: 'client.offline' } });
    }
  });

  it('carry the reason of a member that refuses', async () => {
    const client = await t.createClient('refusing');
    const refused = { outcome: fleet.Outcome.REFUSED, errorCode: 'ha.refused', errorMessage: 'not_active' };
    await connect(client, () => refused);
    const { body } = await send({ type: 'HA', sub_type: 'SUB_HA_RESEND_GARP', clients: on(client), command: {} });
    expect(body.results[0]).toMatchObject({
      outcome: 'refused',
      error: { code: 'ha.refused', message: 'not_active' },
    });
  });
});

describe('internal commands', () => {
  it.each(Object.entries(INTERNAL))('%s does not exist for callers of the API', async (sub_type, command) => {
    const client = await t.createClient('closed');
    const agent = await connect(client, answer);
    const request = { type: 'HA', sub_type, clients: on(client), command };
    for (const query of ['', '&dry_run=true']) {
      const { status, body } = await send(request, { query });
      expect([status, body.code]).toEqual([400, 'command.sub_type']);
      expect(body.message).not.toMatch(/takes[^,]*(?:FAILOVER|MAINTENANCE)/);
    }
    const rollout = { type: 'HA', sub_type, clients: [client], command };
    const rolled = await t.owner.call('POST', `/api/op/clients/rollouts?project=${t.project}`, rollout);
    expect([rolled.status, rolled.body.code]).toEqual([400, 'command.sub_type']);
    expect(agent.commands).toEqual([]);
  });

  it('are not in the description of the API', async () => {
    const { body } = await t.owner.call('GET', '/api/openapi.json');
    const request = JSON.stringify(body.components.schemas.CommandBodyInput);
    expect(request).toContain('"artifact_id":');
    expect(request).not.toContain('"force":');
  });

  it('reach the agent, and their outcome is the answer', async () => {
    const client = await t.createClient('internal');
    const agent = await connect(client, answer);
    const result = await dispatch(client, 'HA SUB_FAILOVER');
    expect(result).toMatchObject({ client_id: client, outcome: 'done', result: REPORT });
    expect(agent.commands).toMatchObject([{ type: 'HA', subType: 'SUB_FAILOVER', serviceId: '' }]);
    expect(payloadOf(agent.commands[0])).toEqual({ force: true });
    const history = await t.owner.call('GET', `/api/op/commands?project=${t.project}&client_id=${client}`);
    expect(history.body.items).toMatchObject([
      { type: 'HA', sub_type: 'SUB_FAILOVER', created_by: 'ada', outcome: 'done' },
    ]);
  });

  it('that the member refuses differ from those that it does not end in time', async () => {
    const [refusing, silent] = [await t.createClient('refuser'), await t.createClient('silent')];
    const refused = { outcome: fleet.Outcome.REFUSED, errorCode: 'ha.refused', errorMessage: 'peer_not_ready' };
    await connect(refusing, () => refused);
    await connect(silent, () => 'accept');
    expect(await dispatch(refusing, 'HA SUB_FAILOVER')).toMatchObject({
      outcome: 'refused',
      error: { code: 'ha.refused', message: 'peer_not_ready' },
    });
    expect(await dispatch(silent, 'HA SUB_FAILOVER', { waitMs: 100 })).toMatchObject({ outcome: 'running' });
  });

  it('send nothing to a client that is offline, unable, unknown or in another project', async () => {
    const offline = await t.createClient('away');
    expect(await dispatch(offline, 'HA SUB_FAILOVER')).toMatchObject({
      outcome: 'failed',
      error: { code: 'client.offline' },
    });
    const capabilities = [{ name: 'proxy', available: true, detail: '' }];
    const unable = await registerClient(t, hostFacts({ name: 'unable', capabilities }));
    expect(await dispatch(unable, 'HA SUB_FAILOVER')).toMatchObject({
      outcome: 'refused',
      error: { code: 'client.incapable' },
    });
    const foreign = await t.createClient('foreign', await t.createProject(`other-${createId()}`));
    const agent = await connect(foreign, answer);
    for (const id of [foreign, createId()])
      expect(await dispatch(id, 'HA SUB_FAILOVER')).toMatchObject({
        command_id: null,
        outcome: 'failed',
        error: { code: 'client.not_found' },
      });
    expect(agent.commands).toEqual([]);
  });

  it('are written only together with the transaction of the caller', async () => {
    const client = await t.createClient('rolled-back');
    const agent = await connect(client, answer);
    const order = {
      project: t.project,
      name: 'HA SUB_MAINTENANCE',
      clientId: client,
      body: INTERNAL.SUB_MAINTENANCE,
    } as const;
    const { commands: service } = t.controller.fleet;
    const undone = t.database.db.transaction().execute(async (tx) => {
      await service.sendInternalWithin(tx, ctx(), order);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    const sent = await t.database.db.transaction().execute((tx) => service.sendInternalWithin(tx, ctx(), order));
    expect(await service.untilEnded(sent, 90_000)).toMatchObject({ outcome: 'done' });
    expect(agent.commands).toHaveLength(1);
    expect(payloadOf(agent.commands[0])).toEqual({ enabled: true, force: false });
  });

  it.each([{}, { force: 'yes' }, { force: true, more: 1 }])(
    'with the body %o are a mistake of the program',
    async (body) => {
      const client = await t.createClient('wrong');
      await expect(dispatch(client, 'HA SUB_FAILOVER', { body })).rejects.toMatchObject({ code: 'command.invalid' });
    },
  );
});

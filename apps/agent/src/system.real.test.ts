import { create } from '@bufbuild/protobuf';
import { createTestController, type TestController } from '@flotilla/controller/testing/controller';
import { createId } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestAgent, waitFor } from './testing/test-agent.ts';

let t: TestController;
let agent: TestAgent;
let clientUrl: string;

beforeAll(async () => {
  t = await createTestController();
  const port = await t.controller.streams.listen({ host: '127.0.0.1', port: 0 });
  agent = await TestAgent.create({ port });
});
afterAll(async () => {
  await agent?.close();
  await t?.close();
});

async function command(type: string, fields: Record<string, unknown> = {}) {
  const body = { type, clients: [{ client_id: await agent.clientId() }], command: {}, ...fields };
  return t.owner.call('POST', `/api/op/clients?project=${t.project}`, body);
}

describe('an agent and a whole controller', () => {
  it('enrol with a token that was created over REST', async () => {
    const created = await t.owner.call('POST', `/api/v3/setting/enrolment-tokens?project=${t.project}`, {});
    expect(created.body.controller).toBe(`127.0.0.1:${agent.controller.port}`);
    expect((await agent.enrol(created.body.token)).ok).toBe(true);
    clientUrl = `/api/op/clients/${await agent.clientId()}?project=${t.project}`;
    const shown = await t.owner.call('GET', clientUrl);
    expect(shown.status).toBe(200);
    const tokens = await t.owner.call('GET', `/api/v3/setting/enrolment-tokens?project=${t.project}&status=used`);
    expect(tokens.body.items[0].client_id).toBe(await agent.clientId());
  });

  it('show the client as live, with the facts of its host', async () => {
    const running = await agent.start();
    await waitFor('connected', () => running.isConnected);
    const { body } = await t.owner.call('GET', clientUrl);
    expect(JSON.stringify(body)).toContain('edge.example.com');
    expect(JSON.stringify(body)).toMatch(/"status":"(live|Live)"/);
  });

  it('pass a command to the agent and its result back', async () => {
    const answer = await command('CLIENT_STATS');
    expect(answer.status).toBe(200);
    expect(answer.body.results[0]).toMatchObject({ outcome: 'done', result: { cpu: { cores: 2 } } });
  });

  it('count each request of a filter once, also after a restart of the agent or the filter', async () => {
    const serviceId = await createGuardedService();
    const count = (epoch: string, total: bigint) =>
      create(fleet.ShieldCountersSchema, {
        serviceId,
        epoch,
        counters: [{ policy: 'guard', verdict: fleet.ShieldVerdict.ALLOWED, total }],
      });
    const counted = (total: number) =>
      waitFor(`${total} requests`, async () => {
        await t.controller.fleet.metrics.flush();
        const { body } = await t.owner.call('GET', `/api/v3/shield/counters?project=${t.project}`);
        return body.totals.allowed === total;
      });
    const [first, second] = [createId(), createId()];
    agent.host.counters = [count(first, 5n)];
    await counted(5);
    await agent.agent?.close();
    agent.host.counters = [count(first, 8n)];
    const again = await agent.start();
    await waitFor('connected', () => again.isConnected);
    await counted(8);
    agent.host.counters = [count(first, 9n), count(second, 2n)];
    await counted(11);
    await t.database.db.deleteFrom('service_targets').execute();
  });

  it('disconnect the client at once and permanently when it is deleted', async () => {
    expect((await t.owner.call('DELETE', clientUrl)).status).toBe(204);
    await waitFor('cut', () => agent.agent?.isConnected === false);
    expect((await t.owner.call('GET', clientUrl)).status).toBe(404);
    await waitFor('refused with an audit entry', async () => {
      const rows = await t.database.db
        .selectFrom('audit_log')
        .select('error_code')
        .where('action', '=', 'client.connect')
        .execute();
      return rows.some(({ error_code }) => error_code === 'certificate.revoked');
    });
  });
});

/** Creates a service with a policy and deploys it to the agent's client. No proxy has to run for it. */
async function createGuardedService(): Promise<string> {
  const text = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: guard }
spec: { domains: [{ hosts: [api.example.com] }] }
`;
  const created = await t.owner.call('POST', `/api/v3/shield/policies?project=${t.project}`, { name: 'guard', text });
  expect(created.status).toBe(201);
  const { db } = t.database;
  const [id, now] = [createId(), new Date()];
  await db
    .insertInto('services')
    .values({
      id,
      project_id: t.project,
      name: 'guarded',
      version: '1.40.0',
      bootstrap: 'boot',
      listeners: [],
      policies: ['guard'],
      shield_threads: 1,
      shield_xff_trusted_hops: 0,
      created_at: now,
      updated_at: now,
      updated_by: 'test',
    })
    .execute();
  const target = { service_id: id, client_id: await agent.clientId(), position: 0, addresses: [], generation: 1 };
  await db.insertInto('service_targets').values(target).execute();
  return id;
}

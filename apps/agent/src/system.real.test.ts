import { createTestController, type TestController } from '@flotilla/controller/test-controller';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestAgent, waitFor } from './test-agent.ts';

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
  it('join by a token that was made over REST', async () => {
    const created = await t.owner.call('POST', `/api/v3/setting/enrolment-tokens?project=${t.project}`, {});
    expect(created.body.controller).toBe(`127.0.0.1:${agent.controller.port}`);
    expect((await agent.enrol(created.body.token)).ok).toBe(true);
    clientUrl = `/api/op/clients/${await agent.clientId()}?project=${t.project}`;
    const shown = await t.owner.call('GET', clientUrl);
    expect(shown.status).toBe(200);
    const tokens = await t.owner.call('GET', `/api/v3/setting/enrolment-tokens?project=${t.project}&status=used`);
    expect(tokens.body.items[0].client_id).toBe(await agent.clientId());
  });

  it('show the client live, with what its host says of itself', async () => {
    const running = await agent.start();
    await waitFor('connected', () => running.isConnected);
    const { body } = await t.owner.call('GET', clientUrl);
    expect(JSON.stringify(body)).toContain('edge.example.com');
    expect(JSON.stringify(body)).toMatch(/"status":"(live|Live)"/);
  });

  it('carry a command there and its result back', async () => {
    const answer = await command('CLIENT_STATS');
    expect(answer.status).toBe(200);
    expect(answer.body.results[0]).toMatchObject({ outcome: 'done', result: { cpu: { cores: 2 } } });
  });

  it('cut the client off at once, and for good, when it is deleted', async () => {
    const deletedAt = performance.now();
    expect((await t.owner.call('DELETE', clientUrl)).status).toBe(204);
    await waitFor('cut', () => agent.agent?.isConnected === false, 1000);
    expect(performance.now() - deletedAt).toBeLessThan(1000);
    expect((await t.owner.call('GET', clientUrl)).status).toBe(404);
    await waitFor('refused and written down', async () => {
      const rows = await t.database.db
        .selectFrom('audit_log')
        .select('error_code')
        .where('action', '=', 'client.connect')
        .execute();
      return rows.some(({ error_code }) => error_code === 'certificate.revoked');
    });
  });
});

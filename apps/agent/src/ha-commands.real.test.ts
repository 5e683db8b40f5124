import { createTestController, type TestController } from '@flotilla/controller/testing/controller';
import { err, ok } from '@flotilla/kit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { describeSilent } from './ha/member-report.ts';
import { TestAgent, waitFor } from './testing/test-agent.ts';

let t: TestController;
let agent: TestAgent;
let client: string;

beforeAll(async () => {
  t = await createTestController();
  const port = await t.controller.streams.listen({ host: '127.0.0.1', port: 0 });
  agent = await TestAgent.create({ port });
  const made = await t.owner.call('POST', `/api/v3/setting/enrolment-tokens?project=${t.project}`, {});
  expect((await agent.enrol(made.body.token)).ok).toBe(true);
  const running = await agent.start();
  await waitFor('connected', () => running.isConnected);
  client = await agent.clientId();
});
afterEach(() => {
  agent.host.ha.orders.length = 0;
});
afterAll(async () => {
  await agent?.close();
  await t?.close();
});

const REPORT = { ...describeSilent(undefined), role: 'active' as const, epoch: 7, daemon: 'running' as const };

async function send(sub_type: string) {
  const body = { type: 'HA', sub_type, clients: [{ client_id: client }], command: { project: t.project } };
  const answer = await t.owner.call('POST', `/api/op/clients?project=${t.project}&wait_ms=60000`, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.results[0];
}

describe('a command of the API for a member of a pair', () => {
  it('is answered with the report of the member, without its history', async () => {
    agent.host.ha.answer = ok(REPORT);
    const { changes: _, terms: __, ...result } = REPORT;
    expect(await send('SUB_STATUS')).toMatchObject({ outcome: 'done', result });
    expect(agent.host.ha.orders).toEqual([]);
  });

  it.each([
    ['SUB_HA_RESEND_GARP', { order: 'announce' }],
    ['SUB_HA_CLEAR', { order: 'clear' }],
    ['SUB_HA_START_ALONE', { order: 'start_alone' }],
  ])('%s is the order %o', async (subType, order) => {
    agent.host.ha.answer = ok(REPORT);
    expect(await send(subType)).toMatchObject({ outcome: 'done', result: { role: 'active' } });
    expect(agent.host.ha.orders).toEqual([order]);
  });

  it.each([
    { outcome: 'refused', code: 'ha.refused', message: 'not_active' },
    { outcome: 'failed', code: 'ha.daemon_absent', message: 'the daemon of this host does not run' },
    { outcome: 'unknown', code: 'ha.no_answer', message: 'the daemon of this host has not answered' },
  ] as const)('that the daemon does not obey ends with $outcome and its reason', async (problem) => {
    agent.host.ha.answer = err(problem);
    const { outcome, code, message } = problem;
    expect(await send('SUB_HA_RESEND_GARP')).toMatchObject({ outcome, error: { code, message } });
  });

  it('is refused without the capability, with what to install', async () => {
    agent.host.lacking.set('ha', 'Install socat.');
    const result = await send('SUB_HA_CLEAR');
    agent.host.lacking.clear();
    expect(result).toMatchObject({ outcome: 'refused', error: { code: 'client.incapable' } });
    expect(result.error.message).toContain('Install socat.');
    expect(agent.host.ha.orders).toEqual([]);
  });
});

describe('an agent', () => {
  it.each(['SUB_FAILOVER', 'SUB_MAINTENANCE'])('gives the order of the internal command %s', async (subType) => {
    agent.host.ha.answer = ok(REPORT);
    const body = subType === 'SUB_FAILOVER' ? { force: true } : { enabled: true, force: false };
    const order = {
      project: t.project,
      name: `HA ${subType}` as 'HA SUB_FAILOVER',
      clientId: client,
      body,
      waitMs: 60_000,
    };
    const ctx = { now: new Date(), actor: { kind: 'user', name: 'ada' } };
    const result = await t.controller.fleet.commands.dispatchInternal(ctx, order);
    expect(result).toMatchObject({ outcome: 'done', result: { role: 'active' } });
    expect(agent.host.ha.orders).toEqual([{ order: subType.slice('SUB_'.length).toLowerCase(), ...body }]);
  });

  it('sends the report again to every controller that welcomes it', () => {
    expect(agent.host.ha.resent).toBe(1);
  });
});

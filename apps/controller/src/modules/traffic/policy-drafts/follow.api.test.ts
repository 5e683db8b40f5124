import { randomUUID } from 'node:crypto';
import { toMarkBits } from '@flotilla/inventory';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEventWorld, type EventWorld } from '../events/testing/event-world.ts';

const TEXT = `# kept
apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: orders }
spec:
  defaults: { mode: detect }
  domains:
    - hosts: [shop.example]
      routes:
        - match: { path_template: "/orders/{id}" }
          policy: { engines: { rate_limit: { requests_per_second: 5 } } }
`;
let world: EventWorld;

const post = (path: string, body: object) => world.t.owner.call('POST', `${path}?project=${world.t.project}`, body);
const follow = (query: Record<string, string> = {}, project?: string) =>
  world.call('/policy-detections', { policy: 'orders', ...query }, project === undefined ? {} : { project });

/** A finding of the policy, as filters report it. */
async function addFinding(
  requestId: string,
  more: { verdict?: 'detected' | 'blocked'; policy?: string; time?: Date } = {},
) {
  const { verdict = 'detected', policy = 'orders', time = new Date() } = more;
  await world.t.database.db
    .insertInto('shield_events')
    .values({
      id: createId(),
      project_id: world.t.project,
      time,
      service_id: world.service.id,
      client_id: world.client,
      request_id: requestId,
      method: 'GET',
      host: 'shop.example',
      path: '/orders/7',
      policy,
      route: '=/orders/{id}',
      engine: 'rate_limit',
      reason: 'ratelimit.exceeded',
      severity: 'low',
      verdict,
      status: 429,
      subject: '',
      source_ip: null,
      digest: 'a'.repeat(64),
      detail: '',
    })
    .execute();
}

beforeAll(async () => {
  world = await createEventWorld();
  const saved = await post('/api/v3/shield/policies', { name: 'orders', text: TEXT });
  if (saved.status !== 201) throw new Error(JSON.stringify(saved.body));
  const used = await world.t.owner.call('PATCH', `/api/op/services/${world.service.id}?project=${world.t.project}`, {
    policies: ['orders'],
  });
  if (used.status !== 200) throw new Error(JSON.stringify(used.body));
});
afterAll(() => world?.close());

describe('the detections of a policy', () => {
  it('are counted with who made the requests and how they ended', async () => {
    const [anonymous, named] = [randomUUID(), randomUUID()];
    const place = { host: 'shop.example', path: '/orders/{id}', timeMs: Date.now() };
    await world.append([
      world.event({
        ...place,
        requestId: anonymous,
        action: 'detect',
        marks: toMarkBits(['confirmed', 'anonymous']),
        consumer: '',
        status: 200,
      }),
      world.event({ ...place, requestId: named, action: 'detect', consumer: '00000000000000c7', status: 404 }),
      world.event({ ...place, requestId: randomUUID(), action: 'allow', weight: 8 }),
      world.event({ ...place, requestId: randomUUID(), action: '', weight: 100 }),
    ]);
    await addFinding(anonymous);
    await addFinding(named);
    await addFinding(randomUUID(), { policy: 'another' });
    const { status, body } = await follow({ min_requests: '10', min_hours: '1' });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toMatchObject({
      policy: { name: 'orders', revision: 1, detect_parts: 1, services: [{ id: world.service.id }] },
      inspected: 10,
      detected: 2,
      blocked: 0,
      by_route: [{ name: '=/orders/{id}', events: 2 }],
      by_engine: [{ name: 'rate_limit', events: 2 }],
      by_reason: [{ name: 'ratelimit.exceeded', events: 2 }],
      requests: { findings: 2, found: 2, truncated: false, succeeded: 1, authenticated: 1, anonymous: 1 },
      safe_to_block: false,
    });
    expect(body.trend.reduce((sum: number, hour: { detected: number }) => sum + hour.detected, 0)).toBe(2);
    const open = body.checks.flatMap(({ check, passed }: { check: string; passed: boolean }) =>
      passed ? [] : [check],
    );
    expect(open).toEqual(['hours', 'credentials']);
  });

  it('offer the same text with mode block, which the write of policies accepts', async () => {
    const { body } = await follow();
    expect(body.block_text).toContain('# kept');
    const blocked = await world.t.owner.call(
      'PATCH',
      `/api/v3/shield/policies/orders?project=${world.t.project}&dry_run=true`,
      {
        text: body.block_text,
      },
    );
    expect(blocked.status, JSON.stringify(blocked.body)).toBe(200);
    expect(blocked.body.text).toContain('mode: block');
  });

  it('are not safe to block without the event store, and unknown numbers are null', async () => {
    const { store } = world.access;
    world.access.store = undefined;
    world.access.reason = 'It is off.';
    try {
      const { body } = await follow({ min_requests: '1' });
      expect(body).toMatchObject({
        inspected: null,
        requests: null,
        without_traffic: 'It is off.',
        safe_to_block: false,
        detected: 2,
      });
    } finally {
      world.access.store = store;
    }
  });

  it('of a request that the event store does not have make the answer incomplete', async () => {
    await addFinding(randomUUID());
    const { body } = await follow({ min_requests: '1' });
    expect(body.checks.find(({ check }: { check: string }) => check === 'complete')).toMatchObject({
      passed: false,
      found: 1,
    });
  });

  it('belong to one project, and an unknown policy is not found', async () => {
    const other = await world.t.createProject('elsewhere');
    expect((await follow({}, other)).status).toBe(404);
    expect((await follow({ policy: 'none' })).status).toBe(404);
    const outsider = await world.t.createMember('viewer', other);
    const answer = await world.call('/policy-detections', { policy: 'orders' }, { caller: outsider });
    expect([403, 404]).toContain(answer.status);
  });
});

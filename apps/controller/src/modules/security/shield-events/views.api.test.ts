import { createId } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { describe, expect, it } from 'vitest';
import { finding, useFindingWorld } from './testing/finding-world.ts';

const { DETECTED, BLOCKED, ERROR } = fleet.ShieldVerdict;

const world = useFindingWorld();
const { message, tell, get, list, requestIds } = world;

describe('the list of findings', () => {
  const tellMany = () =>
    tell(
      message([
        finding(1, { method: 'POST', path: '/v2/orders', sourceIp: '198.51.100.9', subject: 'partner' }),
        finding(2, { host: 'www.example.com', route: '', policy: 'site', sourceIp: '2001:db8::1' }),
        finding(3, { engine: 'rate_limit', reason: 'ratelimit.exceeded', severity: 'low', status: 429 }),
        finding(4, { verdict: DETECTED, detail: '100% of_nothing' }),
      ]),
    );

  it.each([
    [{ verdict: 'detected' }, [4]],
    [{ engine: 'rate_limit' }, [3]],
    [{ reason: 'apikey.missing', policy: 'guard' }, [1, 4]],
    [{ severity: 'low' }, [3]],
    [{ method: 'POST' }, [1]],
    [{ host: 'www.example.com' }, [2]],
    [{ route: '' }, [2]],
    [{ path_prefix: '/v2' }, [1]],
    [{ subject: 'partner' }, [1]],
    [{ source_ip: '198.51.100.0/24' }, [1]],
    [{ source_ip: '2001:db8::1' }, [2]],
    [{ request_id: 'request-3' }, [3]],
    [{ q: '100% OF_' }, [4]],
    [{ q: 'xxx' }, []],
    [{ from: '2999-01-01T00:00:00.000Z' }, []],
    [{ to: '2000-01-01T00:00:00.000Z' }, []],
  ])('can be filtered by %j', async (query, expected) => {
    await tellMany();
    const ids = await requestIds(query as Record<string, string>);
    expect(ids.toSorted()).toEqual(expected.map((n) => `request-${n}`));
  });

  it('accepts several values of one filter as alternatives, and refuses invalid ones', async () => {
    await tellMany();
    const both = `/api/v3/shield/events?project=${world.t.project}&host=api.example.com&method=POST&method=PUT&service_id=${world.service.id}`;
    expect((await world.t.owner.call('GET', both)).body.items).toHaveLength(1);
    expect(await requestIds({ client_id: createId() })).toEqual([]);
    const senseless: Array<Record<string, string>> = [
      { verdict: 'allowed' },
      { source_ip: '300.1.1.1' },
      { from: 'yesterday' },
      { sort: 'host' },
    ];
    for (const bad of senseless) expect((await get('/api/v3/shield/events', bad)).status).toBe(400);
  });

  it('is read page by page without a gap or a repetition, even while new ones arrive', async () => {
    const same = BigInt(Date.now() - 5000);
    await tell(message(Array.from({ length: 25 }, (_, i) => finding(i + 1, { timeMs: same }))));
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: { items: Array<{ request_id: string }>; next_cursor: string | null } = await list({
        limit: '10',
        ...(cursor && { cursor }),
      });
      seen.push(...page.items.map(({ request_id: id }) => id));
      cursor = page.next_cursor;
      await tell(message([finding(1, { requestId: 'later' })]));
    }
    expect(new Set(seen).size).toBe(25);
    expect(seen).not.toContain('later');
  });

  it('shows a project its own findings, to everybody in it and nobody else', async () => {
    await tell(message([finding(1)]));
    const other = await world.t.createProject(`other-${createId()}`);
    const outsider = await world.t.createMember('owner', other);
    const viewer = await world.t.createMember('viewer');
    expect((await get('/api/v3/shield/events', {}, viewer)).body.items).toHaveLength(1);
    expect((await get('/api/v3/shield/events', {}, outsider)).status).toBe(403);
    expect((await get('/api/v3/shield/events', {}, outsider, other)).body.items).toEqual([]);
    expect((await get('/api/v3/shield/events/summary', {}, outsider, other)).body.totals.events).toBe(0);
  });
});

describe('the summary', () => {
  it('counts findings by common properties, largest first, and sums up the rest', async () => {
    const events = Array.from({ length: 12 }, (_, i) =>
      finding(i + 1, { sourceIp: i < 6 ? '203.0.113.1' : `203.0.113.${i}`, verdict: i === 0 ? DETECTED : BLOCKED }),
    );
    await tell(message([...events, finding(13, { verdict: ERROR, reason: 'engine.error', policy: 'site' })]));
    const { body } = await get('/api/v3/shield/events/summary', { top: '2' });
    expect(body.totals).toEqual({ events: 13, blocked: 11, detected: 1, errors: 1 });
    expect(body.by_source_ip).toMatchObject({
      groups: [{ name: '203.0.113.1', label: '203.0.113.1', events: 6, blocked: 5, detected: 1 }, { events: 2 }],
      others: 5,
    });
    expect(body.by_service).toEqual({
      groups: [expect.objectContaining({ name: world.service.id, label: world.service.name, events: 13 })],
      others: 0,
    });
    expect(body.by_client.groups).toMatchObject([{ name: world.agent.clientId, label: 'edge' }]);
    expect(body.by_reason.groups.map(({ name }: { name: string }) => name)).toEqual(['apikey.missing', 'engine.error']);
    expect(body.by_route.groups[0].name).toBe('guard /v1');
    const narrowed = await get('/api/v3/shield/events/summary', { policy: 'site', to: new Date().toISOString() });
    expect(narrowed.body.totals.events).toBe(1);
    expect((await get('/api/v3/shield/events/summary', { top: '51' })).status).toBe(400);
  });

  it('contains zeros if nothing was found', async () => {
    const { body } = await get('/api/v3/shield/events/summary');
    expect(body).toMatchObject({ totals: { events: 0 }, last_at: null, by_engine: { groups: [], others: 0 } });
  });
});

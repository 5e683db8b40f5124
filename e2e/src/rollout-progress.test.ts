import { FleetOfOne, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const KEY = { 'x-api-key': 'demo-key-for-loopback-only' };
const VERSION = TEST_ENVOY_VERSIONS.newest;

let fleet: FleetOfOne;
beforeAll(async () => {
  fleet = await FleetOfOne.start({ envoyVersion: VERSION });
});
afterAll(() => fleet?.close());

function document(collection: string, name: string): string {
  return `/api/v3/xds/${collection}/${name}?version=${VERSION}`;
}

async function progress(collection: string, name: string, revision?: number) {
  const query = `collection=${collection}&name=${name}&version=${VERSION}`;
  const asked = revision === undefined ? query : `${query}&revision=${revision}`;
  const { status, body } = await fleet.api('GET', `/api/v3/rollouts?${asked}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

async function save(url: string, change: (resource: Record<string, unknown>) => object): Promise<number> {
  const { body } = await fleet.api('GET', url);
  const saved = await fleet.api('PUT', url, { resource: change(body.resource) });
  expect(saved.status, JSON.stringify(saved.body)).toBe(200);
  return saved.body.revision;
}

async function untilState(state: string, name: [string, string], revision?: number) {
  await fleet.until(async () => (await progress(...name, revision)).state === state, `${name.join('/')} is ${state}`);
  return progress(...name, revision);
}

describe('the progress of a change', () => {
  const routes: [string, string] = ['routes', 'demo-routes'];

  it('reports live for everything once the demo runs', async () => {
    for (const [collection, name] of [
      ['bootstrap', 'demo-bootstrap'],
      ['listeners', 'demo-listener'],
      routes,
      ['clusters', 'demo-upstream'],
    ] as const) {
      const live = await untilState('live', [collection, name]);
      expect(live).toMatchObject({ settled: true, counts: { total: 1, warmed: 1 } });
    }
    await untilState('live', ['policies', 'demo-policy']);
    await untilState('live', ['services', 'demo']);
  });

  it('reports live for an edit only when the proxy answers with it', async () => {
    for (let round = 1; round <= 10; round += 1) {
      const header = { header: { key: 'x-round', value: String(round) } };
      const revision = await save(document(...routes), (resource) => ({
        ...resource,
        response_headers_to_add: [header],
      }));
      await untilState('live', routes, revision);
      const answer = await fleet.request('/api/hello', KEY);
      expect(answer.headers.get('x-round')).toBe(String(round));
    }
  });

  it('reports live for an edit of the bootstrap once a process runs it', async () => {
    const before = await fleet.pids('envoy');
    const revision = await save(document('bootstrap', 'demo-bootstrap'), (resource) => ({
      ...resource,
      stats_flush_interval: '7s',
    }));
    expect((await progress('bootstrap', 'demo-bootstrap', revision)).state).not.toBe('live');
    await untilState('live', ['bootstrap', 'demo-bootstrap'], revision);
    const now = await fleet.pids('envoy');
    expect(now.some((pid) => !before.includes(pid))).toBe(true);
  });

  it('reports live for an edit of a policy once the filter runs it', async () => {
    const policy = '/api/v3/shield/policies/demo-policy';
    const { body } = await fleet.api('GET', policy);
    const saved = await fleet.api('PATCH', policy, { text: `# edited\n${body.text}` });
    expect(saved.status, JSON.stringify(saved.body)).toBe(200);
    expect(saved.body.digest).not.toBe(body.digest);
    await untilState('live', ['policies', 'demo-policy'], saved.body.revision);
    const { body: service } = await fleet.api('GET', '/api/v3/rollouts?collection=services&name=demo');
    expect(service).toMatchObject({ state: 'live', settled: true });
  });

  it('reports live at once for a new description of a document', async () => {
    const saved = await fleet.api('PATCH', document('clusters', 'demo-upstream'), { description: 'only words' });
    expect(saved.status).toBe(200);
    expect(await progress('clusters', 'demo-upstream', saved.body.revision)).toMatchObject({ state: 'live' });
  });

  it('ends with the message of Envoy after a refusal, and continues when the document is fixed', async () => {
    const { body } = await fleet.api('GET', document(...routes));
    const poison = { match: { safe_regex: { regex: '(' } }, direct_response: { status: 200 } };
    const [host] = body.resource.virtual_hosts;
    await save(document(...routes), (resource) => ({
      ...resource,
      virtual_hosts: [{ ...host, routes: [poison, ...host.routes] }],
    }));
    const refused = await untilState('refused', routes);
    expect(refused.settled).toBe(true);
    expect(refused.nodes[0].reason).toContain('(');
    const fixed = await save(document(...routes), () => body.resource);
    expect(await untilState('live', routes, fixed)).toMatchObject({ superseded: false });
  });
});

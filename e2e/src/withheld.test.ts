import { FleetOfOne, smuggleDocument, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const KEY = { 'x-api-key': 'demo-key-for-loopback-only' };
const VERSION = TEST_ENVOY_VERSIONS.newest;
const at = (collection: string, name: string) => `/api/v3/xds/${collection}/${name}?version=${VERSION}`;
const ROUTES = at('routes', 'demo-routes');
const HOST_FILE = '/etc/passwd';

let fleet: FleetOfOne;
beforeAll(async () => {
  fleet = await FleetOfOne.start({ envoyVersion: VERSION });
});
afterAll(() => fleet?.close());

/** Returns the routes of the demo, with a file of the host among them. */
async function withHostFile() {
  const { body } = await fleet.api('GET', ROUTES);
  const [host] = body.resource.virtual_hosts;
  const leak = { match: { path: '/open/leak' }, direct_response: { status: 200, body: { filename: HOST_FILE } } };
  return { ...body.resource, virtual_hosts: [{ ...host, routes: [leak, ...host.routes] }] };
}

const leaks = async () => (await fleet.request('/open/leak')).text.startsWith('root:');
const serves = async () => (await fleet.request('/api/hello', KEY).catch(() => undefined))?.status === 200;

async function listErrors(): Promise<string[]> {
  const { body } = await fleet.api('GET', '/api/op/services');
  const { body: detail } = await fleet.api('GET', `/api/op/services/proxies/${body.items[0].id}`);
  return detail.errors
    .filter(({ status }: { status: string }) => status === 'active')
    .map(({ message }: { message: string }) => message);
}
const hasRefusal = async () => (await listErrors()).some((message) => message.includes('an owner has to review'));

describe('a route configuration whose last writer may not use the host (attacks 1 and 2)', () => {
  it('is not sent: the service keeps its last good version, and every other change goes live', async () => {
    const { project } = await fleet.state();
    const resource = await withHostFile();
    await fleet.withDatabase((db) =>
      smuggleDocument(db, { project, version: VERSION, collection: 'routes', name: 'demo-routes', resource }),
    );
    await fleet.until(hasRefusal, 'the error is shown');

    const listener = await fleet.api('GET', at('listeners', 'demo-listener'));
    const [chain] = listener.body.resource.filter_chains;
    const [filter] = chain.filters;
    const named = { ...filter, typed_config: { ...filter.typed_config, server_name: 'renamed' } };
    const changed = await fleet.api('PUT', at('listeners', 'demo-listener'), {
      resource: { ...listener.body.resource, filter_chains: [{ ...chain, filters: [named] }] },
    });
    expect(changed.status, JSON.stringify(changed.body)).toBe(200);
    await fleet.until(
      async () => (await fleet.request('/open')).headers.get('server') === 'renamed',
      'the listener is live',
    );
    expect(await serves()).toBe(true);
    expect(await leaks()).toBe(false);
  });

  it('is not sent after a kill -9 of controller, agent and Envoy either, and the service continues', async () => {
    await fleet.kill('controller');
    await fleet.kill('agent');
    await fleet.kill('envoy');
    await fleet.until(
      async () => (await fleet.api('GET', '/readyz').catch(() => undefined))?.status === 200,
      'the controller is back',
    );
    await fleet.until(serves, 'the service is back');
    await fleet.until(hasRefusal, 'the error is still shown');
    expect(await leaks()).toBe(false);
  });

  it('goes live when an owner saves it', async () => {
    const { body } = await fleet.api('GET', ROUTES);
    const saved = await fleet.api('PUT', ROUTES, { resource: body.resource });
    expect(saved.status, JSON.stringify(saved.body)).toBe(200);
    await fleet.until(leaks, 'the saved routes are live');
    await fleet.until(async () => !(await hasRefusal()), 'the error is resolved');
  });
});

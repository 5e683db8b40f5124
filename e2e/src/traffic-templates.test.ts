import { FleetOfOne, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';

let fleet: FleetOfOne;

beforeAll(async () => {
  fleet = await FleetOfOne.start();
  const [service] = (await fleet.api('GET', '/api/op/services')).body.items;
  const turnedOn = await fleet.api('PATCH', `/api/op/services/${service.id}`, { api_discovery: true });
  expect(turnedOn.status, JSON.stringify(turnedOn.body)).toBe(200);
});
afterAll(() => fleet?.close());

const ROUTES = `/api/v3/xds/routes/demo-routes?version=${TEST_ENVOY_VERSIONS.newest}`;
const INVENTORY = '/api/v3/inventory';
const KEY = { 'x-api-key': 'demo-key-for-loopback-only' };

interface Operation {
  readonly id: string;
  readonly normalized_path: string;
  readonly seen_count: number;
}

const list = async (prefix: string): Promise<Operation[]> =>
  (await fleet.api('GET', `${INVENTORY}?normalized_path=${encodeURIComponent(prefix)}`)).body.items;

/** Puts a route for a template before all others. It goes where they go. */
async function addTemplate(path_template: string): Promise<void> {
  const { body, etag } = await fleet.api('GET', ROUTES);
  const [host, ...hosts] = body.resource.virtual_hosts;
  const [route] = host.routes;
  const type = 'type.googleapis.com/envoy.extensions.path.match.uri_template.v3.UriTemplateMatchConfig';
  const added = {
    ...route,
    name: 'template',
    match: {
      path_match_policy: {
        name: 'envoy.path.match.uri_template.uri_template_matcher',
        typed_config: { '@type': type, path_template },
      },
    },
  };
  const virtual_hosts = [{ ...host, routes: [added, ...host.routes] }, ...hosts];
  const written = await fleet.api(
    'PUT',
    ROUTES,
    { resource: { ...body.resource, virtual_hosts } },
    { 'if-match': etag ?? '' },
  );
  expect(written.status, JSON.stringify(written.body)).toBe(200);
}

it('a template of a route that we serve names an operation from its first request', async () => {
  await fleet.until(async () => {
    await fleet.request('/api/hello', KEY);
    return (await list('/api/hello')).length > 0;
  }, 'the listener records its requests');

  await addTemplate('/api/shops/{shop}/carts/{cart}');
  // The collector knows the route when a path that nobody learned has its name.
  await fleet.until(async () => {
    await fleet.request('/api/shops/south/carts/red', KEY);
    return (await list('/api/shops')).some(({ normalized_path: path }) => path === '/api/shops/{shop}/carts/{cart}');
  }, 'the template names a request');

  const [before] = (await list('/api/shops')).filter(({ normalized_path: path }) => path.includes('{shop}'));
  expect((await fleet.request('/api/shops/north/carts/blue', KEY)).status).toBeLessThan(500);
  const seen = async () => (await list('/api/shops')).find(({ id }) => id === before?.id)?.seen_count ?? 0;
  await fleet.until(
    async () => (await seen()) > (before?.seen_count ?? 0),
    'the first request of a new path is counted',
  );
  const names = (await list('/api/shops')).map(({ normalized_path: path }) => path);
  expect(names).not.toContain('/api/shops/north/carts/blue');

  // Requests that came before the collector knew the template are moved to it.
  const { body: started } = await fleet.api('POST', `${INVENTORY}/rewrites`, { apply: true });
  await fleet.until(
    async () => (await fleet.api('GET', `/api/v3/jobs/${started.job.id}`)).body.status === 'done',
    'stored operations have their names',
  );
  expect((await list('/api/shops')).map(({ normalized_path: path }) => path)).toEqual([
    '/api/shops/{shop}/carts/{cart}',
  ]);
});

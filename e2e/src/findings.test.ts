import { FleetOfOne } from '@flotilla/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';

let fleet: FleetOfOne;

beforeAll(async () => {
  fleet = await FleetOfOne.start();
});
afterAll(() => fleet?.close());

const EVENTS = '/api/v3/shield/events';

it('a blocked request can be found by its properties within seconds, only in its own project', async () => {
  const mark = `found-${Date.now()}`;
  const blocked = await fleet.request(`/api/${mark}?token=not-to-be-seen`, {
    'x-api-key': 'not-to-be-seen-either',
    'x-request-id': `request-${mark}`,
  });
  expect(blocked.status).toBe(403);
  const find = async () => (await fleet.api('GET', `${EVENTS}?path_prefix=/api/${mark}`)).body.items;
  await fleet.until(async () => (await find()).length > 0, 'the finding is listed');
  const { clientId } = await fleet.state();
  const [found, ...more] = await find();
  expect(more).toEqual([]);
  expect(found).toMatchObject({
    client_id: clientId,
    service_name: 'demo',
    policy: 'demo-policy',
    method: 'GET',
    path: `/api/${mark}`,
    engine: 'api_key',
    reason: 'apikey.unknown',
    verdict: 'blocked',
    status: 403,
    // For a client on the same host, Envoy reports its own address.
    source_ip: expect.stringMatching(/^[\d.]+$/),
  });
  expect(Math.abs(Date.now() - Date.parse(found.time))).toBeLessThan(60_000);
  expect(JSON.stringify(found)).not.toContain('not-to-be-seen');
  const { body: summary } = await fleet.api('GET', `${EVENTS}/summary?path_prefix=/api/${mark}`);
  expect(summary.by_reason.groups).toMatchObject([{ name: 'apikey.unknown', blocked: 1 }]);

  // Another project of the installation does not contain the event, and a member of this project cannot read that one.
  const { password } = await fleet.state();
  const login = await fleet.api('POST', '/auth/login', { username: 'admin', password, project: undefined });
  const owner = { authorization: `Bearer ${login.body.access_token}` };
  const made = await fleet.api(
    'POST',
    '/api/v3/setting/projects',
    { name: 'elsewhere', starters: [], project: undefined },
    owner,
  );
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const elsewhere = `${EVENTS}?project=${made.body.id}`;
  expect((await fleet.api('GET', elsewhere, undefined, owner)).body.items).toEqual([]);
  expect((await fleet.api('GET', elsewhere)).status).toBe(403);
});

it('a trial of the same request has the same verdict, and with the key the other one', async () => {
  const tryIt = async (headers: string[][]) => {
    const url = `http://127.0.0.1:${fleet.ports.proxy}/api/hello`;
    const services = await fleet.api('GET', '/api/op/services');
    const policies = { service_id: services.body.items[0].id };
    return (await fleet.api('POST', '/api/v3/shield/try', { policies, request: { method: 'GET', url, headers } })).body;
  };
  expect(await tryIt([['x-api-key', 'wrong']])).toMatchObject({
    verdict: 'blocked',
    decisive: { policy: 'demo-policy', reason: 'apikey.unknown', status: 403 },
  });
  expect(await tryIt([['x-api-key', 'demo-key-for-loopback-only']])).toMatchObject({ verdict: 'allowed' });
});

import { FleetOfOne } from '@flotilla/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';

let fleet: FleetOfOne;

beforeAll(async () => {
  fleet = await FleetOfOne.start({ isEnvoyMissing: true });
});
afterAll(() => fleet?.close());

it('everything except the proxy starts without an available Envoy, and a message explains that there is no proxy', async () => {
  expect(fleet.output).toContain('Envoy 1.40.0 could not be had');
  expect(fleet.output).toContain('There is no proxy until an Envoy is available');
  const clients = await fleet.api('GET', '/api/op/clients');
  expect(clients.body.items[0]).toMatchObject({ status: 'Live' });
});

it('documents are still checked, with the descriptors that are part of the program', async () => {
  const url = '/api/v3/xds/clusters/demo-upstream?version=1.40.0';
  expect((await fleet.api('GET', url)).status).toBe(200);
  const refused = await fleet.api('PUT', url, { resource: { type: 'STATIC', no_such_field: 1 } });
  expect(refused.status).toBe(400);
  expect(refused.body.details[0].path).toBe('resource.no_such_field');
});

it('a deployment fails with the reason', async () => {
  const { clientId, project } = await fleet.state();
  const { body } = await fleet.api('POST', `/api/op/clients?project=${project}&version=1.40.0&wait_ms=20000`, {
    type: 'DEPLOY',
    clients: [{ client_id: clientId }],
    command: { project, name: 'demo' },
  });
  expect(body.results[0]).toMatchObject({ outcome: 'failed', error: { message: expect.stringContaining('1.40.0') } });
});

import { FleetOfOne, TIER_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const KEY = { 'x-api-key': 'demo-key-for-loopback-only' };

describe.each(TIER_ENVOY_VERSIONS)('a poisoned resource on Envoy %s', (version) => {
  let fleet: FleetOfOne;
  const routes = `/api/v3/xds/routes/demo-routes?version=${version}`;
  const clusters = `/api/v3/xds/clusters/demo-upstream?version=${version}`;

  beforeAll(async () => {
    fleet = await FleetOfOne.start({ envoyVersion: version });
  });
  afterAll(() => fleet?.close());

  /** Returns only the errors of the routes: fleets of other tests on this machine may hold the admin port, which is also an error. */
  const read = async () => {
    const { body } = await fleet.api('GET', '/api/op/services');
    const { body: detail } = await fleet.api('GET', `/api/op/services/proxies/${body.items[0].id}`);
    const isOfRoutes = ({ resource }: { resource: { name: string } }) => resource.name === 'demo-routes';
    return { nodes: detail.nodes, errors: detail.errors.filter(isOfRoutes) };
  };

  it('is refused with the path of the field', async () => {
    const { body } = await fleet.api('GET', clusters);
    const refused = await fleet.api('PUT', clusters, {
      resource: { ...body.resource, connect_timeout: '-1s', lb_policy: 'NO_SUCH' },
    });
    expect(refused.status).toBe(400);
    const paths = refused.body.details.map(({ path }: { path: string }) => path);
    expect(paths).toContain('resource.lb_policy');
  });

  it('is shown as an error of the right resource if our checks accept it, while every other change goes live', async () => {
    const { body } = await fleet.api('GET', routes);
    const [host] = body.resource.virtual_hosts;
    // Our checks do not compile regular expressions; Envoy does.
    const poisoned = {
      ...host,
      routes: [{ match: { safe_regex: { regex: '(' } }, route: { cluster: 'demo-upstream' } }, ...host.routes],
    };
    const saved = await fleet.api('PUT', routes, { resource: { ...body.resource, virtual_hosts: [poisoned] } });
    expect(saved.status, JSON.stringify(saved.body)).toBe(200);
    await fleet.until(async () => {
      const { nodes } = await read();
      return nodes[0].rollout.resources.some(
        (one: { name: string; state: string }) => one.name === 'demo-routes' && one.state === 'refused',
      );
    }, 'the refusal is shown');
    const { errors } = await read();
    expect(errors).toEqual([
      expect.objectContaining({ status: 'active', resource: expect.objectContaining({ name: 'demo-routes' }) }),
    ]);

    const cluster = await fleet.api('GET', clusters);
    const changed = await fleet.api('PUT', clusters, { resource: { ...cluster.body.resource, connect_timeout: '3s' } });
    expect(changed.status).toBe(200);
    await fleet.until(async () => {
      const { nodes } = await read();
      const one = nodes[0].rollout.resources.find(({ name }: { name: string }) => name === 'demo-upstream');
      return one.state === 'warmed' && one.version === one.live_version;
    }, 'the other change is live');
    expect((await fleet.request('/api/hello', KEY)).status).toBe(200);
  });

  it('does not survive a kill -9 of Envoy, after which traffic is as before', async () => {
    await fleet.kill('envoy');
    await fleet.until(
      async () => (await fleet.request('/api/hello', KEY).catch(() => undefined))?.status === 200,
      'Envoy is back',
    );
    const blocked = await fleet.request('/api/hello', { 'x-api-key': 'wrong' });
    expect(blocked.status).toBe(403);
  });

  it('is no longer an error once it is fixed', async () => {
    const { body } = await fleet.api('GET', routes);
    const [host] = body.resource.virtual_hosts;
    const fixed = { ...host, routes: host.routes.slice(1) };
    expect((await fleet.api('PUT', routes, { resource: { ...body.resource, virtual_hosts: [fixed] } })).status).toBe(
      200,
    );
    await fleet.until(async () => {
      const { errors } = await read();
      return errors.every(({ status }: { status: string }) => status === 'resolved');
    }, 'the error is resolved');
  });
});

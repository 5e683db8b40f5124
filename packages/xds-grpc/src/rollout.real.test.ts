import { findFreePort } from '@flotilla/kit/testing';
import { TEST_ENVOY_VERSIONS, TIER_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { type Backend, startBackend, startTlsBackend } from './testing/backends.ts';
import { createEnvoyFixture, type EnvoyFixture, type FixtureOptions, get } from './testing/envoy-fixture.ts';

const closers: Array<() => Promise<void> | void> = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function openFixture(options: FixtureOptions): Promise<EnvoyFixture> {
  const fixture = await createEnvoyFixture(options);
  closers.push(fixture.close);
  await fixture.start();
  return fixture;
}

function keep<T extends Backend>(backend: T): T {
  closers.push(backend.close);
  return backend;
}

const host = (name: string, domain: string) => ({
  name,
  domains: [domain],
  routes: [{ match: { prefix: '/' }, route: { cluster: 'shop' } }],
});

describe.each(TIER_ENVOY_VERSIONS)('with Envoy %s,', (version) => {
  it('a first configuration is loaded, clusters before the listener, and serves', async () => {
    const { parts, setTarget, untilLive, trace } = await openFixture({ version });
    const backend = keep(await startBackend('one'));
    const port = await findFreePort();
    setTarget(
      parts.edsCluster('shop'),
      parts.endpoints('shop', backend.port),
      parts.route('main', 'shop'),
      parts.listener('http', port, 'main', { filter: 'mark' }),
      parts.headerFilter('mark', 'first'),
    );
    await untilLive();
    expect(await get(port)).toEqual({ status: 200, body: 'one', filter: 'first' });
    expect(trace.indexOf('ack Cluster shop')).toBeLessThan(trace.indexOf('sent Listener http'));
  });

  it('a route moves to a new cluster with endpoints and TLS from secrets, and the old cluster is removed last', async () => {
    const { parts, setTarget, untilLive, untilRetired, trace } = await openFixture({ version });
    const [plain, secure] = [keep(await startBackend('plain')), keep(await startTlsBackend('secure'))];
    const port = await findFreePort();
    const listener = parts.listener('http', port, 'main');
    setTarget(parts.staticCluster('old', plain.port), parts.route('main', 'old'), listener);
    await untilLive();
    trace.length = 0;
    setTarget(
      parts.edsCluster('new', { secret: 'ca' }),
      parts.endpoints('new', secure.port),
      parts.trustedCa('ca', secure.certificate),
      parts.route('main', 'new'),
      listener,
    );
    await untilRetired();
    expect((await get(port)).body).toBe('secure');
    const order = [
      'ack Cluster new',
      'sent RouteConfiguration main',
      'ack RouteConfiguration main',
      'sent Cluster -old',
    ];
    expect(trace.filter((step) => order.includes(step))).toEqual(order);
  });

  it('a changed cluster warms with the endpoints it had', async () => {
    const { parts, setTarget, untilLive } = await openFixture({ version });
    const backend = keep(await startBackend('one'));
    const port = await findFreePort();
    const rest = [
      parts.endpoints('shop', backend.port),
      parts.route('main', 'shop'),
      parts.listener('http', port, 'main'),
    ];
    setTarget(parts.edsCluster('shop'), ...rest);
    await untilLive();
    setTarget(parts.edsCluster('shop', { connectTimeout: '2s' }), ...rest);
    await untilLive();
    expect((await get(port)).body).toBe('one');
  });

  it('an HTTP filter changes without its listener, and is removed after the listener that drops it', async () => {
    const { parts, setTarget, untilLive, untilRetired, trace } = await openFixture({ version });
    const backend = keep(await startBackend('one'));
    const port = await findFreePort();
    const rest = [parts.staticCluster('shop', backend.port), parts.route('main', 'shop')];
    const listener = parts.listener('http', port, 'main', { filter: 'mark' });
    setTarget(...rest, listener, parts.headerFilter('mark', 'first'));
    await untilLive();
    trace.length = 0;
    setTarget(...rest, listener, parts.headerFilter('mark', 'second'));
    await untilLive();
    expect((await get(port)).filter).toBe('second');
    expect(trace).toEqual(['sent TypedExtensionConfig mark', 'ack TypedExtensionConfig mark']);
    trace.length = 0;
    setTarget(...rest, parts.listener('http', port, 'main'));
    await untilRetired();
    expect(await get(port)).toMatchObject({ status: 200, filter: undefined });
    const removal = trace.indexOf('sent TypedExtensionConfig -mark');
    expect(removal === -1 || removal > trace.indexOf('ack Listener http')).toBe(true);
  });

  it('a refused resource keeps its last good version, its dependents are held, and the rest goes live', async () => {
    const { parts, setTarget, untilLive, untilPartial, statusOf, admin } = await openFixture({ version });
    const [one, two] = [keep(await startBackend('one')), keep(await startBackend('two'))];
    const [portOne, portTwo] = [await findFreePort(), await findFreePort()];
    const listeners = [parts.listener('l1', portOne, 'r1'), parts.listener('l2', portTwo, 'r2')];
    const good = parts.staticCluster('c1', one.port);
    setTarget(
      good,
      parts.staticCluster('c2', one.port),
      parts.route('r1', 'c1'),
      parts.route('r2', 'c2'),
      ...listeners,
    );
    await untilLive();
    const bad = parts.staticCluster('c1', one.port, { lb_policy: 'CLUSTER_PROVIDED' });
    const held = parts.route('r1', 'c1', { response_headers_to_add: [{ header: { key: 'x-filter', value: 'held' } }] });
    const free = parts.staticCluster('c2', two.port);
    setTarget(bad, free, held, parts.route('r2', 'c2'), ...listeners);
    await untilPartial();
    expect(statusOf(bad)).toMatchObject({ state: { kind: 'refused' }, liveVersion: good.resource.version });
    expect(statusOf(bad)?.state).toMatchObject({ reason: expect.stringContaining('c1') });
    expect(statusOf(held)).toMatchObject({ state: { kind: 'held', by: { name: 'c1' } } });
    expect(statusOf(free)).toMatchObject({ state: { kind: 'warmed' } });
    expect(await get(portOne)).toMatchObject({ body: 'one', filter: undefined });
    expect((await get(portTwo)).body).toBe('two');
    setTarget(good, free, held, parts.route('r2', 'c2'), ...listeners);
    await untilLive();
    expect((await get(portOne)).filter).toBe('held');
    expect(await admin('/stats?filter=cds.update_rejected')).toMatch(/update_rejected: [12]\n/);
  });

  it('a listener whose new route is refused is reverted before Envoy stops waiting for the route', async () => {
    const { parts, setTarget, untilLive, untilPartial, statusOf, admin, until } = await openFixture({ version });
    const backend = keep(await startBackend('one'));
    const port = await findFreePort();
    const shop = parts.staticCluster('shop', backend.port);
    const good = parts.listener('http', port, 'main');
    setTarget(shop, parts.route('main', 'shop'), good);
    await untilLive();
    const bad = parts.route('next', 'shop', { virtual_hosts: [host('a', '*'), host('b', '*')] });
    const moved = parts.listener('http', port, 'next');
    setTarget(shop, bad, moved);
    await untilPartial();
    expect(statusOf(bad)?.state).toMatchObject({ kind: 'refused', reason: expect.stringContaining('domain') });
    expect(statusOf(moved)).toMatchObject({ state: { kind: 'held' } });
    await until('taken back', () => statusOf(moved)?.liveVersion === good.resource.version);
    expect(await admin('/config_dump?resource=dynamic_listeners')).not.toContain('warming_state');
    expect((await get(port)).body).toBe('one');
    setTarget(shop, parts.route('next', 'shop'), moved);
    await untilLive();
    expect((await get(port)).body).toBe('one');
  });

  it('a cluster whose new secret is refused is reverted', async () => {
    const { parts, setTarget, untilLive, untilPartial, statusOf, admin, until } = await openFixture({ version });
    const backend = keep(await startBackend('one'));
    const port = await findFreePort();
    const rest = [
      parts.endpoints('shop', backend.port),
      parts.route('main', 'shop'),
      parts.listener('http', port, 'main'),
    ];
    const good = parts.edsCluster('shop');
    setTarget(good, ...rest);
    await untilLive();
    const moved = parts.edsCluster('shop', { secret: 'ca' });
    const bad = parts.trustedCa('ca', 'no certificate at all');
    setTarget(moved, bad, ...rest);
    await untilPartial();
    expect([statusOf(bad)?.state.kind, statusOf(moved)?.state.kind]).toEqual(['refused', 'held']);
    await until('taken back', () => statusOf(moved)?.liveVersion === good.resource.version);
    expect(await admin('/config_dump?resource=dynamic_warming_clusters')).not.toContain('shop');
    expect((await get(port)).body).toBe('one');
  });

  it('a restarted Envoy gets the last good set, then the target again', async () => {
    const { parts, setTarget, untilLive, untilPartial, kill, start, until, trace } = await openFixture({ version });
    const backend = keep(await startBackend('one'));
    const port = await findFreePort();
    const rest = [parts.route('main', 'shop'), parts.listener('http', port, 'main')];
    setTarget(parts.staticCluster('shop', backend.port), ...rest);
    await untilLive();
    setTarget(parts.staticCluster('shop', backend.port, { lb_policy: 'CLUSTER_PROVIDED' }), ...rest);
    await untilPartial();
    await kill();
    await until('gone', ({ resources }) => resources.every(({ liveVersion }) => liveVersion === undefined));
    trace.length = 0;
    await start();
    await untilPartial();
    expect((await get(port)).body).toBe('one');
    expect(trace).toContain('refused Cluster shop');
    expect(trace.indexOf('ack Listener http')).toBeLessThan(trace.indexOf('refused Cluster shop'));
  });
});

it('virtual hosts are delivered one by one to an Envoy that accepts them, and missing ones are reported to it', async () => {
  const { parts, setTarget, untilLive, trace } = await openFixture({ version: TEST_ENVOY_VERSIONS.newest });
  const [one, two] = [keep(await startBackend('one')), keep(await startBackend('two'))];
  const port = await findFreePort();
  const clusters = [parts.staticCluster('c1', one.port), parts.staticCluster('c2', two.port)];
  const rest = [...clusters, parts.openRoute('main'), parts.listener('http', port, 'main', { onDemand: true })];
  const ask = async (host: string) => {
    const { status, body } = await get(port, { host });
    return status === 200 ? body : status;
  };
  const stable = parts.virtualHost('main', 'a.example.com', 'c1');
  setTarget(...rest, stable, parts.virtualHost('main', 'b.example.com', 'c1'));
  await untilLive();
  expect([await ask('a.example.com'), await ask('b.example.com')]).toEqual(['one', 'one']);
  expect(await ask('nobody.example.com')).toBe(404);
  trace.length = 0;
  setTarget(...rest, stable, parts.virtualHost('main', 'b.example.com', 'c2'));
  await untilLive();
  expect(trace[0]).toBe('sent VirtualHost main/b.example.com');
  expect([await ask('a.example.com'), await ask('b.example.com')]).toEqual(['one', 'two']);
  setTarget(...rest, stable);
  await expect.poll(() => ask('b.example.com')).toBe(404);
  setTarget(...rest, stable, parts.virtualHost('main', 'nobody.example.com', 'c2'));
  await untilLive();
  expect(await ask('nobody.example.com')).toBe('two');
});

import { findFreePort } from '@flotilla/kit/testing';
import { fleet } from '@flotilla/proto';
import { TIER_ENVOY_VERSIONS } from '@flotilla/testkit';
import { type Backend, startBackend } from '@flotilla/xds-grpc/testing/backends';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../testing/test-host.ts';
import { clusterOf, listenerOf, MeasuredService } from './testing/measured-service.ts';

const { CLUSTER, LISTENER, ROUTE_CONFIGURATION, SERVER, VIRTUAL_HOST } = fleet.TrafficScope;
const HEALTH_CHECK = {
  timeout: '1s',
  interval: '0.2s',
  no_traffic_interval: '0.2s',
  unhealthy_threshold: 1,
  healthy_threshold: 1,
  tcp_health_check: {},
};
/** Dots, markup, the separator of Envoy's lists, and the end of another statistic. */
const HOSTILE = 'shop.<b>v1</b>::a.circuit_breakers.default';

let backend: Backend;
let service: MeasuredService | undefined;
beforeAll(async () => {
  backend = await startBackend('one');
});
afterAll(() => backend?.close());
afterEach(async () => {
  await service?.close();
  service = undefined;
});

const shopHost = (cluster: string, extra: object = {}) => ({
  name: 'shop.example.com',
  routes: [{ match: { prefix: '/' }, route: { cluster } }],
  ...extra,
});
const send = async (port: number, count: number) => {
  for (let i = 0; i < count; i += 1) await ask(port);
};

describe.each(TIER_ENVOY_VERSIONS)('the traffic of a real Envoy %s', (version) => {
  it('is counted per listener, route configuration, virtual host and cluster, whatever their names', async () => {
    const [plain, shared] = [await findFreePort(), await findFreePort()];
    const virtual_clusters = [{ name: 'all.v1', headers: [{ name: ':path', string_match: { prefix: '/' } }] }];
    const host = shopHost(HOSTILE, { virtual_clusters });
    const manager = { prefix: 'in:gress', route: 'main.routes', host };
    service = await MeasuredService.start({
      version,
      listeners: [
        listenerOf('plain', plain, manager),
        listenerOf('named', shared, manager, { stat_prefix: 'my.pre:fix' }),
      ],
      clusters: [clusterOf(HOSTILE, [backend.port])],
    });
    await send(plain, 20);
    await send(shared, 5);
    const of = service;
    await expect.poll(() => of.value(SERVER, '', 'requests_2xx')).toBe(25);
    expect(of.value(LISTENER, 'plain', 'requests_2xx')).toBe(20);
    expect(of.value(LISTENER, 'named', 'requests_2xx')).toBe(5);
    expect(of.value(LISTENER, 'named', 'connections_opened')).toBe(5);
    expect(of.value(ROUTE_CONFIGURATION, 'main.routes', 'requests_2xx')).toBe(25);
    expect(of.value(VIRTUAL_HOST, 'main.routes/shop.example.com', 'requests_2xx')).toBe(25);
    expect(of.value(CLUSTER, HOSTILE, 'requests_2xx')).toBe(25);
    expect(of.value(CLUSTER, HOSTILE, 'endpoints_healthy')).toBe(1);
    await expect.poll(() => of.latencies(SERVER, '')).toBe(25);
    // Both listeners count their latencies under one prefix.
    expect(of.latencies(LISTENER, '')).toBe(25);
    expect(of.latencies(CLUSTER, HOSTILE)).toBe(25);
    expect(of.intervals.every(({ namesOmitted }) => namesOmitted === 0)).toBe(true);
  });

  it('names the endpoints of a dead upstream', async () => {
    const [port, dead] = [await findFreePort(), await findFreePort()];
    service = await MeasuredService.start({
      version,
      listeners: [listenerOf('plain', port, { prefix: 'in', route: 'main', host: shopHost('a::b') })],
      clusters: [clusterOf('a::b', [dead], { health_checks: [HEALTH_CHECK] })],
    });
    const of = service;
    await expect.poll(() => of.intervals.at(-1)?.endpointProblems.length).toBe(1);
    expect(of.intervals.at(-1)?.endpointProblems[0]).toMatchObject({
      cluster: 'a::b',
      address: `127.0.0.1:${dead}`,
      reasons: ['failed_active_hc'],
    });
    expect(of.value(CLUSTER, 'a::b', 'endpoints')).toBe(1);
    expect(of.value(CLUSTER, 'a::b', 'endpoints_healthy')).toBe(0);
    await send(port, 3);
    await expect.poll(() => of.value(LISTENER, 'plain', 'requests_5xx')).toBe(3);
    expect(of.value(SERVER, '', 'connect_failures')).toBeGreaterThan(0);
  });

  it('names an endpoint without a health check as soon as connections to it fail', async () => {
    const [port, dying] = [await findFreePort(), await startBackend('dying')];
    service = await MeasuredService.start({
      version,
      listeners: [listenerOf('plain', port, { prefix: 'in', route: 'main', host: shopHost('shop') })],
      clusters: [clusterOf('shop', [dying.port])],
    });
    const of = service;
    await send(port, 5);
    await expect.poll(() => of.value(CLUSTER, 'shop', 'requests_2xx')).toBe(5);
    expect(of.intervals.flatMap(({ endpointProblems }) => endpointProblems)).toEqual([]);
    dying.close();
    await expect
      .poll(async () => {
        await send(port, 1);
        return of.intervals.at(-1)?.endpointProblems.map(({ address, reasons }) => [address, ...reasons]);
      })
      .toEqual([[`127.0.0.1:${dying.port}`, 'connect_failed']]);
  });

  it('of 1,000 clusters is counted completely, with names of two kilobytes beyond the limit in other', async () => {
    const port = await findFreePort();
    // 512 kB of names
    const nameOf = (i: number) => (i % 4 === 0 ? `${i}.${'n'.repeat(2_040)}` : `shop-${i}.v1`);
    const names = Array.from({ length: 1_000 }, (_, i) => nameOf(i));
    const routes = names.map((cluster, i) => ({ match: { path: `/${i}` }, route: { cluster } }));
    service = await MeasuredService.start({
      version,
      listeners: [listenerOf('plain', port, { prefix: 'in', route: 'main', host: { name: 'all', routes } })],
      clusters: names.map((name) => clusterOf(name, [backend.port])),
    });
    const of = service;
    for (let i = 0; i < 1_000; i += 5) await fetch(`http://127.0.0.1:${port}/${i}`).then((answer) => answer.text());
    await expect.poll(() => of.value(SERVER, '', 'requests_2xx')).toBe(200);
    const other = () => of.value(CLUSTER, '', 'requests_2xx');
    const named = () => names.reduce((sum, name) => sum + of.value(CLUSTER, name, 'requests_2xx'), 0);
    // Envoy writes statistics one after the other, so the last request may be missing in some until the next reading.
    await expect.poll(() => named() + other()).toBe(200);
    expect(other()).toBeGreaterThan(0);
    expect(of.intervals.at(-1)?.namesOmitted).toBeGreaterThan(100);
    expect(of.value(CLUSTER, 'shop-5.v1', 'requests_2xx')).toBe(1);
    expect(of.value(SERVER, '', 'endpoints_healthy')).toBe(1_000);
  });

  it('continues without a loss, a spike or a negative rate when Envoy is killed and when it is replaced', async () => {
    const port = await findFreePort();
    service = await MeasuredService.start({
      version,
      listeners: [listenerOf('plain', port, { prefix: 'in', route: 'main', host: shopHost('shop') })],
      clusters: [clusterOf('shop', [backend.port])],
    });
    const of = service;
    await send(port, 30);
    await expect.poll(() => of.value(SERVER, '', 'requests_2xx')).toBe(30);
    const killed = of.report?.envoyPid ?? 0;
    process.kill(killed, 'SIGKILL');
    await expect.poll(() => of.report?.envoyPid).not.toBe(killed);
    await expect.poll(() => ask(port)).toBe('one');
    await expect.poll(() => of.value(SERVER, '', 'requests_2xx')).toBe(31);
    expect(of.intervals.filter(({ restarted }) => restarted)).toHaveLength(2);
    await of.deploy({ stats_flush_interval: '0.2s' });
    await send(port, 10);
    await expect.poll(() => of.value(SERVER, '', 'requests_2xx')).toBeGreaterThanOrEqual(41);
    expect(of.value(SERVER, '', 'requests_2xx')).toBeLessThanOrEqual(42);
    expect(of.intervals.filter(({ restarted }) => restarted)).toHaveLength(3);
    const ends = of.intervals.map(({ fromMs, durationMs }) => Number(fromMs) + durationMs);
    expect(ends).toEqual([...ends].sort((a, b) => a - b));
  });
});

describe('the listeners in the report of a real Envoy', () => {
  it('are those that it serves, and follow a change within seconds', async () => {
    const [port, other] = [await findFreePort(), await findFreePort()];
    const manager = { prefix: 'in', route: 'main', host: shopHost('shop') };
    const plain = listenerOf('plain', port, manager);
    service = await MeasuredService.start({
      listeners: [plain, listenerOf('other', other, manager)],
      clusters: [clusterOf('shop', [backend.port])],
    });
    const of = service;
    const states = () => of.report?.listeners.map(({ name, serving, address }) => [name, serving, address]);
    await expect.poll(states).toEqual([
      ['plain', true, `127.0.0.1:${port}`],
      ['other', true, `127.0.0.1:${other}`],
    ]);
    // The newest snapshot still contains the other listener, as after a refusal.
    await of.deploy({ static_resources: { listeners: [plain], clusters: [clusterOf('shop', [backend.port])] } });
    await expect.poll(states).toEqual([
      ['plain', true, `127.0.0.1:${port}`],
      ['other', false, ''],
    ]);
  });
});

import { FakeClock, readProcess } from '@flotilla/kit';
import { TRAFFIC_METRICS } from '@flotilla/proto';
import { expect, it } from 'vitest';
import type { EnvoyHandle } from '../host/index.ts';
import { Catalog } from './model/catalog.ts';
import { EndpointProblems } from './model/endpoint-problems.ts';
import { parseStatLine } from './model/stat-lines.ts';
import { ServiceTraffic } from './service-traffic.ts';

const catalog = new Catalog({ listeners: [], hosts: [], clusters: [{ name: 'shop', statName: 'shop' }] });
const STARTED_MS = Date.UTC(2026, 0, 1);

/** A service whose Envoys answer with the given lines of statistics, by socket. An Envoy without lines does not answer. */
class Service {
  readonly clock = new FakeClock(STARTED_MS);
  readonly answers = new Map<string, string[]>();
  readonly asked: string[] = [];
  endpoints = ['shop::10.0.0.1:80::health_flags::/failed_active_hc'];
  /** Time that each response takes. */
  takesMs = 0;
  canFilter = true;
  readonly #traffic = new ServiceTraffic({
    clock: this.clock,
    reader: {
      stats: async ({ path }) => {
        const lines = this.answers.get(path);
        this.clock.advance(this.takesMs);
        if (!lines) throw new Error('no answer');
        return lines.flatMap((line) => parseStatLine(line) ?? []);
      },
      filtersClusters: () => Promise.resolve(this.canFilter),
      problems: (_, { names, before }) => {
        this.asked.push(names.join(' '));
        const problems = new EndpointProblems(names, before);
        for (const line of this.endpoints) problems.take(line);
        return Promise.resolve(problems);
      },
      listeners: () => Promise.resolve(new Map()),
    },
  });

  envoy(path: string, more: Partial<EnvoyHandle> = {}): EnvoyHandle {
    const process = readProcess(globalThis.process.pid);
    if (!process) throw new Error('this process does not exist');
    return { serviceId: 's', admin: { path, uid: 0 }, process, isServing: true, startedMs: undefined, ...more };
  }

  async read(ms: number, ...envoys: EnvoyHandle[]) {
    this.clock.advance(ms);
    const interval = await this.#traffic.read(envoys, catalog);
    if (!interval) return undefined;
    const values = interval.series.flatMap(({ scope, values: of }) => (scope === 4 ? of : []));
    return {
      fromS: (Number(interval.fromMs) - STARTED_MS) / 1000,
      s: interval.durationMs / 1000,
      restarted: interval.restarted,
      requests: Number(values.find(({ metric }) => metric === TRAFFIC_METRICS.requests_2xx.id)?.value ?? 0n),
      problems: interval.endpointProblems.map(({ address }) => address),
      omitted: interval.endpointProblemsOmitted,
    };
  }

  count(path: string, requests: number, ...more: string[]) {
    this.answers.set(path, [`cluster.shop.upstream_rq_2xx: ${requests}`, ...more]);
  }
}

it('an Envoy that ran before the agent is counted from its first reading on', async () => {
  const service = new Service();
  service.count('a', 1_000_000);
  expect(await service.read(10_000, service.envoy('a'))).toBeUndefined();
  service.count('a', 1_000_050);
  expect(await service.read(10_000, service.envoy('a'))).toMatchObject({
    fromS: 10,
    s: 10,
    requests: 50,
    restarted: false,
  });
});

it('an Envoy that the agent has started is counted from its start on', async () => {
  const service = new Service();
  service.count('a', 7);
  const envoy = service.envoy('a', { startedMs: STARTED_MS + 6_000 });
  expect(await service.read(10_000, envoy)).toMatchObject({ fromS: 6, s: 4, requests: 7, restarted: true });
});

it('a restarted Envoy counts from zero, without a negative rate, and the interval says so', async () => {
  const service = new Service();
  service.count('a', 500);
  await service.read(10_000, service.envoy('a'));
  service.count('b', 30);
  const started = service.envoy('b', { startedMs: STARTED_MS + 15_000 });
  expect(await service.read(10_000, started)).toMatchObject({ requests: 30, restarted: true });
  service.count('b', 31);
  expect(await service.read(10_000, started)).toMatchObject({ requests: 1, restarted: false });
});

it('a service that was stopped for an hour has no interval of an hour', async () => {
  const service = new Service();
  service.count('a', 500);
  await service.read(10_000, service.envoy('a'));
  for (let i = 0; i < 360; i += 1) expect(await service.read(10_000)).toBeUndefined();
  service.count('b', 3);
  expect(await service.read(10_000, service.envoy('b'))).toMatchObject({ s: 10, requests: 3 });
});

it('failed readings make one longer interval with its real duration', async () => {
  const service = new Service();
  const envoy = service.envoy('a');
  service.count('a', 0);
  await service.read(10_000, envoy);
  service.answers.clear();
  expect(await service.read(10_000, envoy)).toBeUndefined();
  service.count('a', 300);
  expect(await service.read(10_000, envoy)).toMatchObject({ fromS: 10, s: 20, requests: 300 });
});

it('a frozen agent reports one long interval, and a gap if it was frozen for long', async () => {
  const service = new Service();
  const envoy = service.envoy('a');
  service.count('a', 0);
  await service.read(10_000, envoy);
  service.count('a', 750);
  expect(await service.read(75_000, envoy)).toMatchObject({ s: 75, requests: 750 });
  service.count('a', 90_000);
  expect(await service.read(3_600_000, envoy)).toBeUndefined();
  service.count('a', 90_010);
  expect(await service.read(10_000, envoy)).toMatchObject({ s: 10, requests: 10 });
});

it('a response that arrives after the agent was frozen makes no spike', async () => {
  const service = new Service();
  const envoy = service.envoy('a');
  service.count('a', 0);
  await service.read(10_000, envoy);
  service.takesMs = 75_000;
  service.count('a', 100);
  expect(await service.read(10_000, envoy)).toBeUndefined();
  service.takesMs = 0;
  service.count('a', 950);
  expect(await service.read(10_000, envoy)).toMatchObject({ s: 95, requests: 950 });
});

it('two Envoys side by side are both counted, until the older one ends', async () => {
  const service = new Service();
  service.count('a', 100);
  await service.read(10_000, service.envoy('a'));
  service.count('a', 104);
  service.count('b', 6);
  const both = [service.envoy('b'), service.envoy('a', { isServing: false })];
  expect(await service.read(10_000, ...both)).toMatchObject({ requests: 10, restarted: true });
  service.count('b', 8);
  expect(await service.read(10_000, service.envoy('b'))).toMatchObject({ requests: 2, restarted: false });
});

it('an older Envoy that has closed its admin endpoint hinders nothing', async () => {
  const service = new Service();
  service.count('b', 0);
  const both = [service.envoy('b'), service.envoy('a', { isServing: false })];
  await service.read(10_000, ...both);
  service.count('b', 5);
  expect(await service.read(10_000, ...both)).toMatchObject({ requests: 5 });
});

const health = (total: number, healthy: number) => [
  `cluster.shop.membership_total: ${total}`,
  `cluster.shop.membership_healthy: ${healthy}`,
];

it('an older Envoy that ran before the agent and answers late makes no spike', async () => {
  const service = new Service();
  service.count('b', 0);
  const both = [service.envoy('b'), service.envoy('a', { isServing: false })];
  await service.read(10_000, ...both);
  service.count('a', 1_000_000);
  service.count('b', 3);
  expect(await service.read(10_000, ...both)).toMatchObject({ requests: 3 });
});

it('many endpoints are read only while some are not healthy, and for some time after', async () => {
  const service = new Service();
  const envoy = service.envoy('a');
  const read = (healthy: number) => {
    service.count('a', 0, ...health(400, healthy));
    return service.read(10_000, envoy);
  };
  await read(400);
  expect(await read(400)).toMatchObject({ problems: [], omitted: 0 });
  expect(service.asked).toEqual([]);
  expect(await read(397)).toMatchObject({ problems: ['10.0.0.1:80'], omitted: 2 });
  service.endpoints = ['shop::10.0.0.1:80::health_flags::healthy'];
  for (let i = 0; i < 60; i += 1) expect(await read(400)).toMatchObject({ problems: [], omitted: 0 });
  expect(service.asked).toHaveLength(31);
});

it('an endpoint without a health check is named when connections to it begin to fail', async () => {
  const service = new Service();
  const envoy = service.envoy('a');
  const read = (failed: number, succeeded: number) => {
    service.count('a', succeeded, ...health(1, 1), `cluster.shop.upstream_cx_connect_fail: ${failed}`);
    service.endpoints = [
      `shop::10.0.0.1:80::cx_connect_fail::${failed}`,
      `shop::10.0.0.1:80::rq_success::${succeeded}`,
      'shop::10.0.0.1:80::health_flags::healthy',
    ];
    return service.read(10_000, envoy);
  };
  await read(0, 100);
  expect(await read(0, 200)).toMatchObject({ problems: [] });
  expect(await read(4, 200)).toMatchObject({ problems: ['10.0.0.1:80'], omitted: 0 });
  expect(await read(9, 200)).toMatchObject({ problems: ['10.0.0.1:80'] });
  expect(await read(9, 250)).toMatchObject({ problems: [] });
});

it('all endpoints of an Envoy without a filter are read once per minute if there are many', async () => {
  const service = new Service();
  service.canFilter = false;
  const envoy = service.envoy('a');
  service.count('a', 0, ...health(64_000, 63_999));
  for (let i = 0; i < 13; i += 1) await service.read(10_000, envoy);
  expect(await service.read(10_000, envoy)).toMatchObject({ problems: ['10.0.0.1:80'] });
  expect(service.asked).toHaveLength(3);
});

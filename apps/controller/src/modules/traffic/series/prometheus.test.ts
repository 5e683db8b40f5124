import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { type Block, columnOf, createBlock, seriesOf } from './model/block.ts';
import { FIRST_BUCKET, LATENCY_SUM_US, metricId, SCOPE_IDS } from './model/columns.ts';
import { TrafficMetrics } from './prometheus.ts';

function totalsOf(columns: Readonly<Record<number, number>>): Block {
  const block = createBlock(1);
  const series = seriesOf(block, SCOPE_IDS.server, null);
  for (const [id, value] of Object.entries(columns)) columnOf(series, Number(id), 1)[0] = value;
  return block;
}

async function read(registry: Registry, name: string): Promise<unknown[]> {
  const metric = (await registry.getMetricsAsJSON()).find((one) => one.name === name);
  return (metric?.values ?? []).map(({ labels, value }) => [...Object.values(labels), value]);
}

it('metrics have the names of the series, cumulative buckets, and gauges of nodes that reported lately', async () => {
  const registry = new Registry();
  let now = 1_000_000;
  const metrics = new TrafficMetrics(registry, () => new Date(now));
  const columns = {
    [metricId('requests_5xx')]: 4,
    [metricId('connections_active')]: 7,
    [metricId('certificate_days')]: 30,
    [FIRST_BUCKET]: 1,
    [FIRST_BUCKET + 3]: 3,
    [LATENCY_SUM_US]: 2_000_000,
  };
  for (const clientId of ['a', 'b']) metrics.stored({ clientId, serviceId: 's' }, totalsOf(columns), new Date(now));
  expect(await read(registry, 'flotilla_traffic_requests_5xx_total')).toEqual([['s', 'server', 8]]);
  expect(await read(registry, 'flotilla_traffic_connections_active')).toEqual([['s', 'server', 14]]);
  expect(await read(registry, 'flotilla_traffic_certificate_days')).toEqual([['s', 'server', 30]]);
  const buckets = await read(registry, 'flotilla_traffic_latency_seconds_bucket');
  expect(buckets).toContainEqual(['s', 'server', '0.0005', 2]);
  expect(buckets).toContainEqual(['s', 'server', '0.001', 2]);
  expect(buckets).toContainEqual(['s', 'server', '0.005', 8]);
  expect(buckets).toContainEqual(['s', 'server', '+Inf', 8]);
  expect(await read(registry, 'flotilla_traffic_latency_seconds_sum')).toEqual([['s', 'server', 4]]);
  now += 120_000;
  expect(await read(registry, 'flotilla_traffic_connections_active')).toEqual([]);
  expect(await read(registry, 'flotilla_traffic_requests_5xx_total')).toEqual([['s', 'server', 8]]);
});

it('services beyond the limit are counted together', async () => {
  const registry = new Registry();
  const metrics = new TrafficMetrics(registry, () => new Date(0));
  for (let i = 0; i < 1000; i += 1)
    metrics.stored({ clientId: 'a', serviceId: `s${i}` }, totalsOf({ [metricId('requests_2xx')]: 1 }), new Date(0));
  const values = await read(registry, 'flotilla_traffic_requests_2xx_total');
  expect(values).toHaveLength(201);
  expect(values).toContainEqual(['other', 'server', 800]);
});

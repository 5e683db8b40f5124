import { create, toBinary } from '@bufbuild/protobuf';
import { fleet, TRAFFIC_METRICS } from '@flotilla/proto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Catalog } from './catalog.ts';
import { NameLimit } from './name-limit.ts';
import { toSeries } from './traffic-interval.ts';
import { TrafficSums } from './traffic-sums.ts';

const { CLUSTER, LISTENER, SERVER } = fleet.TrafficScope;
const catalog = new Catalog({ listeners: [], hosts: [], clusters: [] });
const total = (sums: TrafficSums) =>
  toSeries(sums)
    .filter(({ scope }) => scope === CLUSTER)
    .flatMap(({ values }) => values)
    .reduce((sum, { value }) => sum + Number(value), 0);

function sumsOf(counts: Readonly<Record<string, number>>): TrafficSums {
  const sums = new TrafficSums();
  for (const [name, count] of Object.entries(counts)) sums.add(catalog.intern(CLUSTER, name), 'requests_2xx', count);
  return sums;
}

describe('the limit of names', () => {
  it('keeps the sums of any traffic, and says how many names are in other', () => {
    const traffic = fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 1_000 }), {
      maxKeys: 30,
    });
    fc.assert(
      fc.property(fc.array(traffic, { maxLength: 6 }), fc.nat(10), fc.nat(60), (rounds, names, bytes) => {
        const limit = new NameLimit({ names, bytes });
        for (const counts of rounds) {
          const all = sumsOf(counts);
          const { sums, omitted } = limit.apply(all, catalog);
          expect(total(sums)).toBe(total(all));
          const named = toSeries(sums).filter(({ name }) => name !== '');
          expect(named.length).toBeLessThanOrEqual(names);
          expect(named.reduce((sum, { name }) => sum + Buffer.byteLength(name), 0)).toBeLessThanOrEqual(bytes);
          expect(named.length + omitted).toBe(Object.keys(counts).length);
        }
      }),
    );
  });

  it('keeps the place of a name that was reported before, and admits listeners first', () => {
    const limit = new NameLimit({ names: 2, bytes: 1_000 });
    const named = (sums: TrafficSums) =>
      toSeries(limit.apply(sums, catalog).sums)
        .filter(({ name }) => name !== '')
        .map(({ name }) => name)
        .sort();
    expect(named(sumsOf({ x: 1, y: 1 }))).toEqual(['x', 'y']);
    expect(named(sumsOf({ a: 1, b: 1, y: 1, x: 1 }))).toEqual(['x', 'y']);
    const other = sumsOf({ a: 1, b: 1 });
    other.add(catalog.intern(LISTENER, 'l'), 'requests_2xx', 1);
    expect(named(other)).toEqual(['a', 'l']);
  });

  it('admits short names before long ones, which would take the place of many', () => {
    const long = 'n'.repeat(2_000);
    const tight = new NameLimit({ names: 10, bytes: 2_000 }).apply(sumsOf({ [long]: 1, a: 2, bb: 3 }), catalog);
    expect(toSeries(tight.sums).map(({ name }) => name)).toEqual(['a', 'bb', '']);
  });

  it('sums up gauges in other as the metrics table says', () => {
    const sums = new TrafficSums();
    for (const [name, days, open] of [
      ['a', 9, 0],
      ['b', 3, 1],
    ] as const) {
      sums.add(catalog.intern(CLUSTER, name), 'certificate_days', days);
      sums.add(catalog.intern(CLUSTER, name), 'circuit_open', open);
      sums.add(catalog.intern(CLUSTER, name), 'endpoints', days);
    }
    const [other] = toSeries(new NameLimit({ names: 0, bytes: 0 }).apply(sums, catalog).sums);
    expect(other?.name).toBe('');
    expect(other?.values.map(({ metric, value }) => [metric, value])).toEqual([
      [TRAFFIC_METRICS.endpoints.id, 12n],
      [TRAFFIC_METRICS.circuit_open.id, 1n],
      [TRAFFIC_METRICS.certificate_days.id, 3n],
    ]);
  });
});

describe('the series of an interval', () => {
  it('leave out zeros and names without any value, but not a certificate that expires today', () => {
    const sums = new TrafficSums();
    sums.add(catalog.intern(CLUSTER, 'idle'), 'connections_active', 0);
    sums.add(catalog.intern(SERVER, ''), 'certificate_days', 0);
    sums.add(catalog.intern(SERVER, ''), 'requests_5xx', 0);
    const series = toSeries(sums);
    expect(series.map(({ scope }) => scope)).toEqual([SERVER]);
    expect(series[0]?.values.map(({ metric }) => metric)).toEqual([TRAFFIC_METRICS.certificate_days.id]);
  });

  it('can be encoded whatever a compromised Envoy has counted', () => {
    const sums = new TrafficSums();
    sums.add(catalog.intern(SERVER, ''), 'bytes_sent', 2 ** 64);
    sums.addLatency(catalog.intern(SERVER, ''), [Number.MAX_SAFE_INTEGER], [2 ** 64]);
    const interval = create(fleet.TrafficIntervalSchema, { series: toSeries(sums) });
    expect(toBinary(fleet.TrafficIntervalSchema, interval).length).toBeGreaterThan(0);
  });

  it('merge the buckets of statistics with different bounds', () => {
    const sums = new TrafficSums();
    const server = catalog.intern(SERVER, '');
    sums.addLatency(server, [1_000, 5_000], [2, 1]);
    sums.addLatency(server, [2_000, 5_000], [4, 3]);
    expect(toSeries(sums)[0]?.latency).toMatchObject({
      boundsUs: [1_000n, 2_000n, 5_000n],
      counts: [2n, 4n, 4n, 0n],
      sumUs: 2n * 500n + 4n * 1_500n + 4n * 3_500n,
    });
  });
});

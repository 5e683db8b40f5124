import { fleet, type TrafficMetricName } from '@flotilla/proto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Catalog } from './catalog.ts';
import { parseStatLine } from './stat-lines.ts';
import { StatTracker } from './stat-tracker.ts';
import { TrafficSums } from './traffic-sums.ts';

const catalogOf = (...clusters: string[]) =>
  new Catalog({ listeners: [], hosts: [], clusters: clusters.map((name) => ({ name, statName: name })) });
const catalog = catalogOf('shop', 'pay');
const nowMs = Date.UTC(2026, 0, 1);

class Envoy {
  readonly tracker = new StatTracker();

  begin(...lines: string[]) {
    this.tracker.begin({ lines: parse(lines), catalog, isServing: true, nowMs });
  }

  /** Returns what was counted for a cluster since the previous reading. */
  read(lines: readonly string[], more: { isServing?: boolean; catalog?: Catalog } = {}) {
    const sums = new TrafficSums();
    this.tracker.add({ lines: parse(lines), catalog, isServing: true, nowMs, ...more }, sums);
    return (name: string, metric: TrafficMetricName | 'latency') => {
      const [, found] =
        [...sums.entries].find(([s]) => s.scope === fleet.TrafficScope.CLUSTER && s.name === name) ?? [];
      if (metric === 'latency') return [...(found?.latency.values() ?? [])];
      return found?.values.get(metric) ?? 0;
    };
  }
}

const parse = (lines: readonly string[]) => lines.flatMap((line) => parseStatLine(line) ?? []);
const rq = (count: number | bigint, name = 'shop') => `cluster.${name}.upstream_rq_2xx: ${count}`;

describe('the tracker of an Envoy', () => {
  it('counts the growth of any sequence of totals, without a negative growth after a reset', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(1_000), fc.boolean()), { maxLength: 30 }), (steps) => {
        const envoy = new Envoy();
        let total = 0;
        let counted = 0;
        let sent = 0;
        for (const [growth, isReset] of steps) {
          // A reset to more than the previous total cannot be seen.
          if (isReset && growth < total) {
            total = growth;
          } else total += growth;
          sent += growth;
          const found = envoy.read([rq(total)])('shop', 'requests_2xx') as number;
          expect(found).toBeGreaterThanOrEqual(0);
          counted += found;
        }
        expect(counted).toBe(sent);
      }),
    );
  });

  it('has no negative growth and no spike when a counter wraps', () => {
    const envoy = new Envoy();
    envoy.begin(rq(2n ** 64n - 5n));
    expect(envoy.read([rq(7)])('shop', 'requests_2xx')).toBe(7);
  });

  it('counts a name that appears twice once', () => {
    expect(new Envoy().read([rq(3), rq(3), rq(4, 'pay')])('shop', 'requests_2xx')).toBe(3);
  });

  it('counts a cluster that was deleted and created again from zero', () => {
    const envoy = new Envoy();
    envoy.begin(rq(50));
    envoy.read([]);
    expect(envoy.read([rq(4)])('shop', 'requests_2xx')).toBe(4);
  });

  it('does not count what happened before a name became known', () => {
    const envoy = new Envoy();
    const lines = (count: number) => [rq(count, 'later'), `cluster.later.upstream_rq_time: B1(0,${count})`];
    envoy.read(lines(1_000));
    const found = envoy.read(lines(1_005), { catalog: catalogOf('shop', 'later') });
    expect(found('later', 'requests_2xx')).toBe(5);
    expect(found('later', 'latency')).toEqual([5]);
  });

  it('counts latencies per bucket, and all of them after a reset or with other buckets', () => {
    const envoy = new Envoy();
    const time = (buckets: string) => [`cluster.shop.upstream_rq_time: ${buckets}`];
    envoy.begin(...time('B1(0,1) B5(0,4)'));
    expect(envoy.read(time('B1(0,1) B5(0,9)'))('shop', 'latency')).toEqual([0, 5]);
    expect(envoy.read(time('B1(0,1) B5(0,9)'))('shop', 'latency')).toEqual([]);
    expect(envoy.read(time('B1(0,2) B5(0,1)'))('shop', 'latency')).toEqual([2, 1]);
    expect(envoy.read(time('B1(0,2) B10(0,1)'))('shop', 'latency')).toEqual([2, 1]);
    expect(envoy.read(time('nonsense'))('shop', 'latency')).toEqual([]);
  });

  it('takes the connections of a replaced Envoy, but not its endpoints', () => {
    const lines = [
      'cluster.shop.upstream_cx_active: 3',
      'cluster.shop.membership_total: 9',
      'cluster.shop.circuit_breakers.default.rq_open: 1',
    ];
    const found = new Envoy().read(lines, { isServing: false });
    expect(found('shop', 'connections_active')).toBe(3);
    expect(found('shop', 'endpoints')).toBe(0);
    expect(found('shop', 'circuit_open')).toBe(0);
  });

  it('reports the certificate that expires first, in whole days', () => {
    const expiry = (name: string, days: number) =>
      `cluster.shop.ssl.certificate.${name}.expiration_unix_time_seconds: ${nowMs / 1000 + days * 86_400}`;
    const found = new Envoy().read([expiry('a', 20.5), expiry('b', 3.9), expiry('c', 400)]);
    expect(found('shop', 'certificate_days')).toBe(3);
    expect(new Envoy().read([expiry('a', -9)])('shop', 'certificate_days')).toBe(0);
  });

  it('ignores values that are not numbers', () => {
    const found = new Envoy().read(['cluster.shop.upstream_rq_2xx: -4', 'cluster.shop.upstream_rq_5xx: x']);
    expect([found('shop', 'requests_2xx'), found('shop', 'requests_5xx')]).toEqual([0, 0]);
  });
});

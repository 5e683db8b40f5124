import { fleet } from '@flotilla/proto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Catalog, type StatMeaning } from './catalog.ts';
import { type EnvoyNames, sanitizeStatName } from './envoy-names.ts';

const { CLUSTER, LISTENER, ROUTE_CONFIGURATION, SERVER, VIRTUAL_HOST } = fleet.TrafficScope;

const listener = (name: string, statName: string, ...filters: EnvoyNames['listeners'][number]['filters']) => ({
  name,
  statName,
  filters,
});
const http = (prefix: string, route = '') => ({ kind: 'http' as const, prefix, route });
const names = (fields: Partial<EnvoyNames>): EnvoyNames => ({ listeners: [], hosts: [], clusters: [], ...fields });
const clusters = (...all: string[]) =>
  names({ clusters: all.map((name) => ({ name, statName: sanitizeStatName(name) })) });
const show = (meaning: StatMeaning | undefined) =>
  meaning && [meaning.metric, ...meaning.series.map(({ scope, name }) => `${scope} ${name}`)];

describe('the catalog', () => {
  it('finds clusters whose names contain dots, markup and the ends of other statistics', () => {
    const hostile = [
      'a',
      'a.external',
      'a.circuit_breakers.default',
      '<b>x</b> & "y"',
      'ssl',
      `long.${'n'.repeat(2043)}`,
    ];
    const catalog = new Catalog(clusters(...hostile));
    for (const name of hostile) {
      expect(show(catalog.find(`cluster.${name}.upstream_rq_2xx`))).toEqual(['requests_2xx', `${CLUSTER} ${name}`]);
      expect(show(catalog.find(`cluster.${name}.circuit_breakers.default.rq_open`))?.[0]).toBe('circuit_open');
    }
    expect(catalog.find('cluster.unknown.upstream_rq_2xx')).toBeUndefined();
    expect(catalog.find('cluster.a.internal.upstream_rq_2xx')).toBeUndefined();
    expect(catalog.find('cluster.a.upstream_rq_2xx.more')).toBeUndefined();
  });

  it('finds any cluster by exactly its name', () => {
    const part = fc.constantFrom('a', 'b', 'external', 'http', 'vcluster', 'ssl', '..', 'ü', '<', 'upstream_rq_2xx');
    const name = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('.'));
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 8 }), (all) => {
        const catalog = new Catalog(clusters(...all));
        for (const one of all) {
          expect(show(catalog.find(`cluster.${one}.upstream_rq_5xx`))).toEqual(['requests_5xx', `${CLUSTER} ${one}`]);
        }
      }),
    );
  });

  it('counts statuses per listener, and the rest of a prefix that two listeners share as other', () => {
    const shared = [listener('a', '127.0.0.1_80', http('in', 'r')), listener('b', 'b.pre', http('in', 's'))];
    const catalog = new Catalog(names({ listeners: shared }));
    const of = (stat: string) => show(catalog.find(stat));
    expect(of('listener.127.0.0.1_80.http.in.downstream_rq_5xx')).toEqual([
      'requests_5xx',
      `${LISTENER} a`,
      `${ROUTE_CONFIGURATION} r`,
      `${SERVER} `,
    ]);
    expect(of('listener.b.pre.downstream_cx_active')).toEqual(['connections_active', `${LISTENER} b`, `${SERVER} `]);
    expect(of('http.in.downstream_rq_time')).toEqual([
      'latency',
      `${LISTENER} `,
      `${ROUTE_CONFIGURATION} `,
      `${SERVER} `,
    ]);
    expect(of('listener.b.pre.worker_0.downstream_cx_active')).toBeUndefined();
  });

  it('does not count the requests of the agent itself', () => {
    const catalog = new Catalog(names({ listeners: [listener('a', '127.0.0.1_80', http('admin'))] }));
    expect(catalog.find('http.admin.downstream_rq_time')).toBeUndefined();
    expect(catalog.find('listener.admin.downstream_cx_total')).toBeUndefined();
  });

  it('understands colons as both versions of Envoy write them', () => {
    const catalog = new Catalog(names({ listeners: [listener('a', '127.0.0.1_80', http('in_gress'))] }));
    expect(catalog.find('http.in:gress.downstream_rq_time')).toEqual(catalog.find('http.in_gress.downstream_rq_time'));
    expect(show(new Catalog(clusters('a:b', 'a_b')).find('cluster.a_b.upstream_rq_2xx'))).toEqual([
      'requests_2xx',
      `${CLUSTER} `,
    ]);
  });

  it('finds virtual hosts, and the expiry of certificates with any name', () => {
    const catalog = new Catalog({
      ...clusters('a.ssl.certificate.b', 'a'),
      hosts: [{ route: 'main', host: 'shop.v', statNames: ['shop.v.vcluster.cart.v1', 'shop.v.vcluster.other'] }],
    });
    expect(show(catalog.find('vhost.shop.v.vcluster.cart.v1.upstream_rq_2xx'))).toEqual([
      'requests_2xx',
      `${VIRTUAL_HOST} main/shop.v`,
    ]);
    expect(catalog.find('vhost.shop.v.vcluster.cart.upstream_rq_2xx')).toBeUndefined();
    const expiry = (name: string) => show(catalog.find(`cluster.${name}.expiration_unix_time_seconds`));
    expect(expiry('a.ssl.certificate.x.y')).toEqual(['expiry', `${CLUSTER} a`, `${SERVER} `]);
    expect(expiry('a.ssl.certificate.b.ssl.certificate.x')?.[0]).toBe('expiry');
  });

  it('keeps the names of the last good snapshot until newer ones use the same statistics', () => {
    const before = names({ listeners: [listener('old', '127.0.0.1_80'), listener('gone', '127.0.0.1_81')] });
    const catalog = new Catalog(names({ listeners: [listener('new', '127.0.0.1_80')] }), before);
    expect(show(catalog.find('listener.127.0.0.1_80.downstream_cx_total'))?.[1]).toBe(`${LISTENER} new`);
    expect(show(catalog.find('listener.127.0.0.1_81.downstream_cx_total'))?.[1]).toBe(`${LISTENER} gone`);
  });
});

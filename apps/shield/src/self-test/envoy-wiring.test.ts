import { type EnvoyJson, shieldClusterConfig, shieldFilterConfig } from '@flotilla/policy';
import { describe, expect, it } from 'vitest';
import { findWiringFaults, NOT_ASKED, type WiringDemands } from './envoy-wiring.ts';

const TYPE = 'type.googleapis.com/envoy.extensions.filters';
const ROUTER = { name: 'router', typed_config: { '@type': `${TYPE}.http.router.v3.Router` } };
const ADDRESS = { kind: 'unix', path: '/run/s.sock' } as const;
const DEMANDS: WiringDemands = { addresses: [ADDRESS], bodyMaxBytes: 1000, budgetMs: 50 };
const good = shieldFilterConfig();

const filterWith = (change: EnvoyJson): EnvoyJson => ({
  ...good,
  typed_config: { ...(good.typed_config as EnvoyJson), ...change },
});
const listener = (name: string, filters: readonly EnvoyJson[], more: EnvoyJson = {}, manager: EnvoyJson = {}) => ({
  name,
  ...more,
  filter_chains: [
    {
      filters: [
        {
          typed_config: {
            '@type': `${TYPE}.network.http_connection_manager.v3.HttpConnectionManager`,
            http_filters: [...filters, ROUTER],
            ...manager,
          },
        },
      ],
    },
  ],
});
const find = (listeners: readonly EnvoyJson[], clusters: readonly EnvoyJson[] = []) =>
  findWiringFaults({ listeners, clusters }, DEMANDS);

describe('the wiring in Envoy’s configuration', () => {
  it('is fine if one listener asks the filter as generated, whatever else listens', () => {
    expect(find([listener('web', [good]), listener('open', []), { name: 'tcp', filter_chains: [] }])).toEqual([]);
    expect(find([])).toEqual([]);
  });

  it('is faulty if nobody asks: no filter, a disabled one, or another target', () => {
    const other = filterWith({ grpc_service: { envoy_grpc: { cluster_name: 'other' } }, failure_mode_allow: true });
    for (const filters of [[], [{ ...good, disabled: true }], [other]])
      expect(find([listener('web', filters)])).toEqual([NOT_ASKED]);
  });

  it('recognizes the filter by its address if the cluster has another name', () => {
    const named = filterWith({ grpc_service: { envoy_grpc: { cluster_name: 'mine' } }, failure_mode_allow: true });
    const cluster = shieldClusterConfig([ADDRESS], { clusterName: 'mine' });
    expect(find([listener('web', [named])], [cluster])).toEqual([
      expect.stringMatching(/^listener web: failure_mode_allow/),
    ]);
    const direct = filterWith({ grpc_service: { google_grpc: { target_uri: 'unix:///run/s.sock' } } });
    expect(find([listener('web', [direct])])).toEqual([]);
    const tcp = { kind: 'tcp', host: '127.0.0.1', port: 9000 } as const;
    const overTcp = shieldClusterConfig([tcp], { clusterName: 'mine' });
    expect(
      findWiringFaults(
        { listeners: [listener('web', [named])], clusters: [overTcp] },
        { ...DEMANDS, addresses: [tcp] },
      ),
    ).toHaveLength(1);
  });

  it('makes no claim about filters that come by discovery', () => {
    const url = (good.typed_config as EnvoyJson)['@type'];
    expect(find([listener('web', [{ name: 'x', config_discovery: { type_urls: [url] } }])])).toEqual([]);
  });

  it('names each listener, also for the chains of upgrades and for route settings', () => {
    const open = filterWith({ failure_mode_allow: true });
    const upgrade = { upgrade_configs: [{ upgrade_type: 'websocket', filters: [open, ROUTER] }] };
    const route = {
      typed_per_filter_config: {
        x: { '@type': `${TYPE}.http.ext_proc.v3.ExtProcPerRoute`, overrides: { failure_mode_allow: true } },
      },
    };
    const faults = find([
      listener('a', [good], {}, upgrade),
      listener('b', [good], {}, { route_config: { virtual_hosts: [{ routes: [route] }] } }),
      listener('c', [good], { per_connection_buffer_limit_bytes: 1000 }),
      listener('d', [good], { per_connection_buffer_limit_bytes: 1001 }),
    ]);
    expect(faults.map((fault) => fault.slice(0, 45))).toEqual([
      'listener a: failure_mode_allow: true lets req',
      'listener b: failure_mode_allow: true of a rou',
      'listener c: per_connection_buffer_limit_bytes',
    ]);
  });

  it('reports a limited number of faults', () => {
    const open = filterWith({ failure_mode_allow: true });
    expect(find(Array.from({ length: 1000 }, (_, n) => listener(`l${n}`, [open])))).toHaveLength(10);
  });
});

import { loadEnvoyApi } from '@flotilla/envoy-api';
import { expect, it } from 'vitest';
import { createBuildTurn, TurnIsOver } from './build-turn.ts';
import { TEST_NODE, TestSource } from './testing.ts';
import { Translator } from './translator.ts';
import type { Translation } from './types.ts';

it('a translation of many documents is made in turns, and gives the same result as at once (attack 8)', async () => {
  const api = await loadEnvoyApi({ version: '1.39.3' });
  const names = Array.from({ length: 20 }, (_, i) => `cluster-${i}`);
  const routes = names.map((cluster) => ({ match: { prefix: `/${cluster}` }, route: { cluster } }));
  const tcp = {
    '@type': 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
    stat_prefix: 'http',
    route_config: { virtual_hosts: [{ name: 'all', domains: ['*'], routes }] },
  };
  const source = new TestSource({
    bootstrap: { main: {} },
    listeners: { http: { name: 'http', filter_chains: [{ filters: [{ name: 'hcm', typed_config: tcp }] }] } },
    clusters: Object.fromEntries(names.map((name) => [name, { name, type: 'STATIC' }])),
  });
  const translator = new Translator(api);
  let turns = 0;
  let translation: Translation | undefined;
  while (translation === undefined && turns < 100) {
    turns += 1;
    try {
      // One document per turn.
      translation = translator.translate(source, TEST_NODE, createBuildTurn(-1));
    } catch (error) {
      expect(error).toBeInstanceOf(TurnIsOver);
    }
  }
  expect(turns).toBe(22);
  expect(translation).toEqual(new Translator(api).translate(source, TEST_NODE));
  expect(translation?.resources).toHaveLength(21);
});

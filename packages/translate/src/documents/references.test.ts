import { type EnvoyApi, type JsonObject, loadEnvoyApi } from '@flotilla/envoy-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { findReferences } from './references.ts';

let api: EnvoyApi;
beforeAll(async () => {
  api = await loadEnvoyApi({ version: '1.39.3' });
});

const problemsOf = (collection: 'clusters' | 'filters' | 'extensions', type: string, resource: JsonObject) =>
  findReferences(api, { collection, name: 'x', type, resource }).problems.map(({ path, rule }) => `${path}: ${rule}`);

describe('a file as a configuration source (fault M5)', () => {
  const file = { path_config_source: { path: '/etc/envoy/eds.yaml' } };
  const HCM = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
  const TLS = 'envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext';

  it('is rejected where the controller would use a document instead', () => {
    const eds = (eds_config: JsonObject) =>
      problemsOf('clusters', 'envoy.config.cluster.v3.Cluster', { type: 'EDS', eds_cluster_config: { eds_config } });
    expect(eds(file)).toEqual(['eds_cluster_config.eds_config: source.file']);
    expect(eds({ path: '/etc/envoy/eds.yaml' })).toEqual(['eds_cluster_config.eds_config: source.file']);
    expect(eds({ ads: {} })).toEqual([]);
    const rds = { rds: { route_config_name: 'main', config_source: file } };
    expect(problemsOf('filters', HCM, rds)).toEqual(['rds.config_source: source.file']);
    const sds = { name: 'www', sds_config: file };
    const tls = { common_tls_context: { tls_certificate_sds_secret_configs: [sds] } };
    expect(problemsOf('extensions', TLS, tls)).toEqual([
      'common_tls_context.tls_certificate_sds_secret_configs[0].sds_config: source.file',
    ]);
  });
});

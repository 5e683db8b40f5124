import { stat } from 'node:fs/promises';
import { fromBinary, fromJson, toBinary, toJson } from '@bufbuild/protobuf';
import { type EnvoyApi, type JsonObject, loadEnvoyApi } from '@flotilla/envoy-api';
import { ensureTestEnvoy, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { median } from './table.ts';

/**
 * Measures reading an Envoy's descriptors, and checking, encoding and decoding a typical cluster. Baseline in the same
 * run: protobuf-es with the same registry, which neither checks constraints nor reports all problems.
 * Run: node bench/src/envoy-api.ts
 */
const ROUNDS = 9;
const CALLS = 2_000;
const CLUSTER = 'envoy.config.cluster.v3.Cluster';

const typical: JsonObject = {
  name: 'orders',
  type: 'EDS',
  connect_timeout: '1.500s',
  eds_cluster_config: { eds_config: { ads: {}, resource_api_version: 'V3' } },
  lb_policy: 'LEAST_REQUEST',
  circuit_breakers: { thresholds: [{ max_connections: 1000, max_requests: 2000 }] },
  health_checks: [
    {
      timeout: '1s',
      interval: '5s',
      unhealthy_threshold: 2,
      healthy_threshold: 2,
      http_health_check: { path: '/healthz' },
    },
  ],
  transport_socket: {
    name: 'tls',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
      sni: 'orders.example.com',
      common_tls_context: { validation_context_sds_secret_config: { name: 'ca', sds_config: { ads: {} } } },
    },
  },
  typed_extension_protocol_options: {
    'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
      '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
      explicit_http_config: { http2_protocol_options: { max_concurrent_streams: 100 } },
    },
  },
  metadata: { filter_metadata: { 'envoy.lb': { canary: true, version: '7' } } },
};

/** Microseconds per call: the median of several rounds after a warm-up. */
function measure(call: () => unknown): string {
  for (let i = 0; i < CALLS; i += 1) call();
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = performance.now();
    for (let i = 0; i < CALLS; i += 1) call();
    rounds.push(((performance.now() - started) / CALLS) * 1_000);
  }
  return `${median(rounds).toFixed(1)} µs`;
}

function measureCalls(api: EnvoyApi): Record<string, string> {
  const encoded = api.encode(CLUSTER, typical);
  const schema = api.registry.getMessage(CLUSTER);
  if (!encoded.ok || !schema) throw new Error('the typical cluster must be valid');
  if (api.check(CLUSTER, typical).errors.length > 0) throw new Error('the typical cluster must be valid');
  const options = { registry: api.registry, useProtoFieldName: true };
  return {
    check: measure(() => api.check(CLUSTER, typical)),
    encode: measure(() => api.encode(CLUSTER, typical)),
    'encode, protobuf-es': measure(() => toBinary(schema, fromJson(schema, typical, options))),
    decode: measure(() => api.decode(CLUSTER, encoded.value)),
    'decode, protobuf-es': measure(() => toJson(schema, fromBinary(schema, encoded.value), options)),
    walk: measure(() => api.walk(CLUSTER, typical, { field: () => undefined })),
  };
}

const table: Record<string, Record<string, string>> = {};
for (const version of Object.values(TEST_ENVOY_VERSIONS)) {
  const { path, sha256 } = await ensureTestEnvoy(version);
  const before = process.memoryUsage().rss;
  const started = performance.now();
  const api = await loadEnvoyApi({ version, binaryPath: path, binarySha256: sha256 });
  const load = `${(performance.now() - started).toFixed(0)} ms`;
  table[version] = {
    'binary, MB': ((await stat(path)).size / 2 ** 20).toFixed(0),
    'scan and registry': load,
    'memory grew, MB': ((process.memoryUsage().rss - before) / 2 ** 20).toFixed(0),
    messages: String(api.messages().length),
    ...measureCalls(api),
  };
}
const packaged = await loadEnvoyApi({ version: 'packaged' });
table.packaged = { messages: String(packaged.messages().length), ...measureCalls(packaged) };
console.table(table);

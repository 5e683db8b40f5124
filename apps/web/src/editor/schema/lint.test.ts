import { beforeAll, describe, expect, it } from 'vitest';
import type { SchemaSource } from '../../forms/schema-source.ts';
import { formatPath } from '../document/path.ts';
import { readDocument } from '../document/read.ts';
import { createEnvoySource } from '../testing/envoy-source.ts';
import { lintDocument } from './lint.ts';
import { withTypes } from './types.ts';

const CLUSTER = 'envoy.config.cluster.v3.Cluster';
const LISTENER = 'envoy.config.listener.v3.Listener';

describe('the check against the descriptors', () => {
  let source: Awaited<ReturnType<typeof createEnvoySource>>;
  beforeAll(async () => {
    source = await createEnvoySource();
  });

  const lint = async (type: string, text: string, from: SchemaSource = source) => {
    const tree = readDocument(text, 'json');
    const findings = await withTypes(from, (types) => lintDocument(type, tree, types));
    return findings.map(({ path, rule, message, severity, from: start, to }) => ({
      path: formatPath(path),
      rule,
      message,
      severity,
      at: text.slice(start, to),
    }));
  };

  it('accepts a document that Envoy accepts', async () => {
    const hcm = {
      '@type': 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
      stat_prefix: 'http',
      route_config: {
        virtual_hosts: [
          { name: 'x', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: 'c', timeout: '1.5s' } }] },
        ],
      },
      http_filters: [
        {
          name: 'envoy.filters.http.router',
          typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
        },
        { name: 'stored', typed_config: { $ref: 'filters/x' } },
      ],
    };
    const listener = {
      name: 'l',
      address: { socket_address: { address: '127.0.0.1', port_value: 80 } },
      filterChains: [{ filters: [{ name: 'hcm', typed_config: hcm }] }],
    };
    expect(await lint(LISTENER, JSON.stringify(listener))).toEqual([]);
    const cluster = {
      name: 'c',
      type: 'strict-dns',
      connect_timeout: '5s',
      metadata: { filter_metadata: { x: { a: [1] } } },
      common_lb_config: { healthy_panic_threshold: { value: 50 } },
      per_connection_buffer_limit_bytes: '1024',
    };
    expect(await lint(CLUSTER, JSON.stringify(cluster))).toEqual([]);
  });

  it('reports unknown fields at their key, with the most similar name', async () => {
    const [finding] = await lint(CLUSTER, '{"name": "c", "conect_timeout": "1s"}');
    expect(finding).toEqual({
      path: 'conect_timeout',
      rule: 'unknown_field',
      message: 'Cluster has no field "conect_timeout"; did you mean connect_timeout?',
      severity: 'error',
      at: '"conect_timeout"',
    });
  });

  it('checks the message in an Any', async () => {
    const text =
      '{"transport_socket": {"name": "x", "typed_config": {"@type": "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext", "sni": 5, "snii": ""}}, "name": "c"}';
    expect((await lint(CLUSTER, text)).map(({ path, rule }) => [path, rule])).toEqual([
      ['transport_socket.typed_config.sni', 'type'],
      ['transport_socket.typed_config.snii', 'unknown_field'],
    ]);
  });

  it.each([
    ['{"name": 5}', 'type', 'must be a string, not 5'],
    ['{"name": "c", "lb_policy": "RUND_ROBIN"}', 'enum', 'did you mean ROUND_ROBIN?'],
    ['{"name": "c", "connect_timeout": "5"}', 'type', 'must be a duration such as "1.5s", not a text'],
    ['{"name": "c", "connect_timeout": "0s"}', 'duration.gt', 'must be greater than 0s'],
    ['{"name": "c", "health_checks": {}}', 'type', 'must be a list, not an object'],
    ['{"name": "c", "dns_refresh_rate": [1]}', 'type', 'must be a duration such as "1.5s", not a list'],
    ['{"name": ""}', 'string.min_len', 'must not be empty'],
    ['{}', 'required', 'name is required'],
    ['{"name": "c", "type": "STATIC", "cluster_type": {"name": "x"}}', 'oneof', 'cannot be combined with type'],
    [
      '{"name": "c", "altStatName": "", "alt_stat_name": ""}',
      'duplicate_field',
      'alt_stat_name is set twice, in snake_case and in camelCase',
    ],
    [
      '{"name": "c", "typed_extension_protocol_options": {"x": {"@type": "type.googleapis.com/no.Such"}}}',
      'any.unknown_type',
      'this Envoy version has no message "no.Such"',
    ],
    [
      '{"name": "c", "typed_extension_protocol_options": {"x": {"a": 1}}}',
      'any.type',
      '"@type" is missing. It sets the message type',
    ],
  ])('%s', async (text, rule, message) => {
    const findings = await lint(CLUSTER, text);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({ rule });
    expect(findings[0]?.message).toContain(message);
  });

  it('warns of deprecated fields and rejects disallowed ones', async () => {
    const findings = await lint(CLUSTER, '{"name": "c", "max_requests_per_connection": 5}');
    expect(findings).toMatchObject([{ rule: 'deprecated', severity: 'warning', at: '"max_requests_per_connection"' }]);
  });

  it('agrees with the controller on every invalid document of this file', async () => {
    const broken = [
      '{"name": 5}',
      '{"name": "c", "conect_timeout": "1s"}',
      '{"name": "c", "lb_policy": "X"}',
      '{}',
      '{"name": "c", "connect_timeout": "0s"}',
      '{"name": "c", "health_checks": {}}',
    ];
    for (const text of broken) {
      const theirs = source.api.check(CLUSTER, JSON.parse(text)).errors;
      const ours = (await lint(CLUSTER, text)).filter(
        ({ rule }) => !['unknown_field', 'required', 'enum'].includes(rule),
      );
      expect((await lint(CLUSTER, text)).map(({ path }) => path)).toEqual(theirs.map(({ path }) => path));
      for (const { path, rule, message } of ours) expect(theirs).toContainEqual({ path, rule, message });
    }
  });

  it('never reports a value, which may be a secret in the wrong place', async () => {
    const findings = await lint(CLUSTER, '{"name": ["hunter2"], "lb_policy": "hunter2", "connect_timeout": "hunter2"}');
    expect(findings).toHaveLength(3);
    expect(JSON.stringify(findings.map(({ message }) => message))).not.toContain('hunter2');
  });
});

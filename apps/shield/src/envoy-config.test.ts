import { readFile } from 'node:fs/promises';
import { shieldThreadAddresses } from '@flotilla/policy';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { renderEnvoyConfig } from './envoy-config.ts';

describe('envoy-config', () => {
  const options = { listen: [{ kind: 'unix', path: '/run/shield.sock' }], xffTrustedHops: 2 } as const;
  const json = JSON.parse(renderEnvoyConfig({ ...options, json: true }));

  it('prints the same in YAML as in JSON, also for a YAML 1.1 parser like Envoy’s', () => {
    const yaml = renderEnvoyConfig({ ...options, json: false });
    expect(parse(yaml)).toEqual(json);
    expect(parse(yaml, { version: '1.1' })).toEqual(json);
  });

  it('contains everything that makes the filter safe', () => {
    const manager = json.http_connection_manager;
    expect(manager).toMatchObject({
      use_remote_address: true,
      xff_num_trusted_hops: 2,
      normalize_path: true,
      merge_slashes: true,
      path_with_escaped_slashes_action: 'UNESCAPE_AND_FORWARD',
      early_header_mutation_extensions: [
        { typed_config: { mutations: [{ remove: 'script_name' }, { remove: 'path_info' }] } },
      ],
    });
    expect(manager.http_filters[0].typed_config).toMatchObject({
      failure_mode_allow: false,
      allow_mode_override: true,
      processing_mode: { request_header_mode: 'SEND', response_header_mode: 'SKIP', request_body_mode: 'NONE' },
      request_attributes: ['source.address'],
    });
  });

  it('supports a TCP address, too', () => {
    const text = renderEnvoyConfig({ listen: [{ kind: 'tcp', host: '::1', port: 9 }], xffTrustedHops: 0, json: true });
    const [cluster] = JSON.parse(text).clusters;
    expect(cluster.load_assignment.endpoints[0].lb_endpoints[0].endpoint.address).toEqual({
      socket_address: { address: '::1', port_value: 9 },
    });
  });

  it('has an address for each thread, and a buffer larger than the largest body', () => {
    const listen = shieldThreadAddresses({ kind: 'unix', path: '/s' }, 2);
    const printed = JSON.parse(renderEnvoyConfig({ listen, xffTrustedHops: 0, bodyMaxBytes: 4_000_000, json: true }));
    const [{ lb_endpoints: endpoints }] = printed.clusters[0].load_assignment.endpoints;
    expect(endpoints).toHaveLength(2);
    expect(printed.listener.per_connection_buffer_limit_bytes).toBeGreaterThan(4_000_000);
    const { initial_stream_window_size: window } = printed.http_connection_manager.http2_protocol_options;
    expect(window).toBe(printed.listener.per_connection_buffer_limit_bytes);
  });

  it('is quoted in the guide as it is printed', async () => {
    const guide = await readFile(new URL('../../../docs/guides/policies.md', import.meta.url), 'utf8');
    const printed = renderEnvoyConfig({
      listen: [{ kind: 'unix', path: '/run/flotilla/shield.sock' }],
      xffTrustedHops: 0,
      json: false,
    });
    expect(guide).toContain(printed);
  });
});

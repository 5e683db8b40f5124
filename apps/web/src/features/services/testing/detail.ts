import type { ConfigError, NodeResource, ServiceNode } from '../types.ts';

const AT = '2026-01-02T03:04:05.000Z';

/** Creates a healthy node, with overrides. */
export function nodeOf(
  change: Partial<ServiceNode> = {},
  resources: readonly NodeResource[] = [resourceOf()],
): ServiceNode {
  const client_id = change.client_id ?? 'client-a';
  return {
    client_id,
    client_name: client_id,
    connected: true,
    node_id: `edge::project::${client_id}`,
    addresses: [],
    admin_port: 33_100,
    deployed: true,
    run_state: 'running',
    state: 'live',
    reasons: [],
    state_since: AT,
    listeners: [],
    clock_offset_ms: null,
    generation: 7,
    applied_generation: 7,
    phase: 'running',
    since: AT,
    reported_at: AT,
    envoy_version_wanted: '1.39.3',
    envoy_version: '1.39.3',
    drain_time_seconds: 10,
    policy_digest: null,
    policy_error: null,
    admin_error: null,
    bootstrap_digest: null,
    self_test: null,
    shield_problems: [],
    shield_running: true,
    restarts: 0,
    error: null,
    rollout: { state: 'live', snapshot_version: 's1', at: AT, resources: [...resources] },
    ...change,
  };
}

export function resourceOf(change: Partial<NodeResource> = {}): NodeResource {
  return {
    type: 'envoy.config.cluster.v3.Cluster',
    name: 'upstream',
    version: 'v1',
    live_version: 'v1',
    state: 'warmed',
    reason: null,
    ...change,
  };
}

export function errorOf(change: Partial<ConfigError> = {}): ConfigError {
  return {
    id: 'error-1',
    service_id: 'service-1',
    client_id: 'client-a',
    severity: 'error',
    status: 'active',
    message: 'Envoy refused cluster "upstream".',
    raw_message: 'no such thing',
    code: 'envoy.refused',
    fix_at: { kind: 'document', collection: 'clusters', name: 'upstream', version: '1.39.3' },
    active_since: AT,
    resource: { name: 'upstream', type: 'envoy.config.cluster.v3.Cluster', node_id: 'edge::project::client-a' },
    first_seen: AT,
    last_seen: AT,
    occurrence_count: 1,
    ...change,
  };
}

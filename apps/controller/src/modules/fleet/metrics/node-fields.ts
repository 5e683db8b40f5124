import type { PolicyNode } from '@flotilla/contract';
import { formatNodeId } from '@flotilla/proto';
import type { StoredReport } from '../services/index.ts';
import type { listNodes } from './policy-node-store.ts';

type NodeRow = Awaited<ReturnType<typeof listNodes>>['items'][number];

/** Returns the last report about the filter of a node. `wanted` is the digest of the bundle that it should run. */
export function toNodeFields(
  row: NodeRow,
  projectId: string,
  wanted: string,
): Omit<PolicyNode, 'current' | 'live_revision'> {
  const report = (row.report ?? {}) as Partial<StoredReport>;
  return {
    service_id: row.service_id,
    service_name: row.service_name,
    client_id: row.client_id,
    client_name: row.client_name,
    node_id: formatNodeId({ service: row.service_name, project: projectId, clientId: row.client_id }),
    connected: row.connected,
    run_state: row.run_state,
    wanted_digest: wanted,
    live_digest: row.policy_digest,
    policy_error: report.policy_error ?? null,
    shield_running: report.shield_running ?? false,
    self_test: report.self_test ?? null,
    shield_problems: [...(report.shield_problems ?? [])],
    reported_at: row.reported_at?.toISOString() ?? null,
  };
}

import type { ServiceRecord } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { formatNodeId } from '@flotilla/proto';

/** One resource of a rollout as it is kept in `node_states.resources`. */
export interface StoredResource {
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly live_version: string | null;
  readonly state: 'waiting' | 'sent' | 'acknowledged' | 'warmed' | 'refused' | 'held' | 'unspecified';
  readonly reason: string | null;
}

/** The agent's NodeReport as it is kept in `node_states.report`. */
export interface StoredReport {
  readonly since: string | null;
  readonly bootstrap_digest: string | null;
  readonly policy_error: string | null;
  readonly shield_running: boolean;
  readonly restarts: number;
  readonly envoy_pid: number;
  readonly error: string | null;
}

/** What each target of the service was told to run, and what its agent says that it runs. */
export async function readServiceNodes(db: Db, service: ServiceRecord) {
  const states = await db.selectFrom('node_states').selectAll().where('service_id', '=', service.id).execute();
  const stateOf = new Map(states.map((state) => [state.client_id, state]));
  return service.targets.map((target, i) => {
    const state = stateOf.get(target.client_id);
    const report = (state?.report ?? undefined) as StoredReport | undefined;
    return {
      client_id: target.client_id,
      client_name: target.client_name,
      connected: target.connected,
      node_id: formatNodeId({ service: service.name, project: service.project, clientId: target.client_id }),
      addresses: service.clients[i]?.addresses ?? [],
      admin_port: target.admin_port,
      deployed: target.deployed,
      run_state: target.run_state,
      generation: target.generation,
      applied_generation: state?.generation ?? 0,
      phase: state?.phase ?? null,
      since: report?.since ?? null,
      reported_at: state?.reported_at?.toISOString() ?? null,
      envoy_version_wanted: target.envoy_version,
      envoy_version: state?.envoy_version ?? null,
      policy_digest: state?.policy_digest ?? null,
      policy_error: report?.policy_error ?? null,
      bootstrap_digest: report?.bootstrap_digest ?? null,
      shield_running: report?.shield_running ?? false,
      restarts: report?.restarts ?? 0,
      error: report?.error ?? null,
      rollout: state?.rollout_at
        ? {
            state: state.rollout_state,
            snapshot_version: state.snapshot_version,
            at: state.rollout_at.toISOString(),
            resources: (state.resources ?? []) as StoredResource[],
          }
        : null,
    };
  });
}

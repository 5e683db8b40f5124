import type { ServiceRecord } from '@flotilla/contract';
import type { Db, Tables } from '@flotilla/db';
import { formatNodeId } from '@flotilla/proto';
import { type Selectable, sql } from 'kysely';
import { clockOffset, problemsSince } from '../../traffic/public.ts';
import { deriveReasons, type NodeFindings } from './health.ts';
import { targetFindings } from './health-views.ts';
import type { ServiceNode } from './model.ts';
import { findStateSince } from './node-health.ts';

/** A resource of a rollout as stored in `node_states.resources`. */
export interface StoredResource {
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly live_version: string | null;
  readonly state: 'waiting' | 'sent' | 'acknowledged' | 'warmed' | 'refused' | 'held' | 'unspecified';
  readonly reason: string | null;
}

/** The agent's NodeReport as stored in `node_states.report`. */
export interface StoredReport {
  readonly since: string | null;
  readonly bootstrap_digest: string | null;
  readonly policy_error: string | null;
  readonly shield_running: boolean;
  readonly restarts: number;
  readonly envoy_pid: number;
  readonly error: string | null;
  /** Absent in reports of older agents. */
  readonly admin_error?: string | null;
  readonly self_test?: 'ok' | 'unknown' | 'failing' | null;
  readonly shield_problems?: readonly string[];
  readonly listeners?: ReadonlyArray<{
    readonly name: string;
    readonly serving: boolean;
    readonly address: string | null;
    readonly error: string | null;
  }>;
}

/** The desired and the reported state of each target of the service. */
export async function readServiceNodes(db: Db, service: ServiceRecord) {
  const [states, findings, disconnections] = await Promise.all([
    readStates(db, service.id),
    readFindings(db, service.id),
    readDisconnections(db, service.id),
  ]);
  return service.targets.map((target, i) => {
    const state = states.get(target.client_id);
    const found = findings.get(target.client_id);
    const disconnectedAt = disconnections.get(target.client_id) ?? null;
    return {
      client_id: target.client_id,
      client_name: target.client_name,
      connected: target.connected,
      node_id: formatNodeId({ service: service.name, project: service.project, clientId: target.client_id }),
      addresses: service.clients[i]?.addresses ?? [],
      admin_port: target.admin_port,
      deployed: target.deployed,
      run_state: target.run_state,
      ...describeState(target, { state, found, disconnectedAt }),
      clock_offset_ms: found?.clock_offset_ms ?? null,
      generation: target.generation,
      applied_generation: state?.generation ?? 0,
      phase: state?.phase ?? null,
      reported_at: state?.reported_at?.toISOString() ?? null,
      envoy_version_wanted: target.envoy_version,
      envoy_version: state?.envoy_version ?? null,
      drain_time_seconds: target.drain_time_seconds,
      policy_digest: state?.policy_digest ?? null,
      ...describeReport(reportOf(state)),
      rollout: describeRollout(state),
    };
  });
}

type NodeState = Selectable<Tables['node_states']>;

interface Known {
  readonly state: NodeState | undefined;
  readonly found: FoundNode | undefined;
  readonly disconnectedAt: Date | null;
}

/** The state of the node, why, and since when. */
function describeState(
  { state: current, connected }: ServiceRecord['targets'][number],
  { state, found, disconnectedAt }: Known,
) {
  const hasReasons = current === 'failed' || current === 'degraded';
  const reasons = found && hasReasons ? deriveReasons(found.findings) : [];
  const since = findStateSince({
    state: current,
    reasons,
    connected,
    disconnectedAt,
    errorSince: found?.error_since ?? null,
    phaseSince: reportOf(state)?.since ?? null,
    rolloutAt: state?.rollout_at ?? null,
    problemSince: found?.problem_since ?? null,
  });
  return { state: current, reasons, state_since: since };
}

function reportOf(state: NodeState | undefined): StoredReport | undefined {
  return (state?.report ?? undefined) as StoredReport | undefined;
}

function describeReport(report: StoredReport | undefined) {
  return {
    listeners: [...(report?.listeners ?? [])],
    since: report?.since ?? null,
    policy_error: report?.policy_error ?? null,
    admin_error: report?.admin_error ?? null,
    bootstrap_digest: report?.bootstrap_digest ?? null,
    shield_running: report?.shield_running ?? false,
    self_test: report?.self_test ?? null,
    shield_problems: [...(report?.shield_problems ?? [])],
    restarts: report?.restarts ?? 0,
    error: report?.error ?? null,
  };
}

function describeRollout(state: NodeState | undefined) {
  if (!state?.rollout_at) return null;
  return {
    state: state.rollout_state,
    snapshot_version: state.snapshot_version,
    at: state.rollout_at.toISOString(),
    resources: (state.resources ?? []) as StoredResource[],
  };
}

/** By client id. */
async function readStates(db: Db, serviceId: string): Promise<ReadonlyMap<string, NodeState>> {
  const states = await db.selectFrom('node_states').selectAll().where('service_id', '=', serviceId).execute();
  return new Map(states.map((state) => [state.client_id, state]));
}

interface FoundNode {
  readonly client_id: string;
  readonly findings: NodeFindings;
  readonly clock_offset_ms: number | null;
  readonly error_since: Date | null;
  readonly problem_since: Date | null;
}

/** By client id. */
async function readFindings(db: Db, serviceId: string): Promise<ReadonlyMap<string, FoundNode>> {
  const { rows } = await sql<FoundNode>`
    select clients.id as client_id, ${clockOffset()} as clock_offset_ms, ${problemsSince()} as problem_since,
      jsonb_build_object('client_id', clients.id, 'client_name', clients.name, 'run_state', service_targets.run_state,
        ${targetFindings()}) as findings,
      (select min(coalesce(active_since, first_seen)) from config_errors
        where config_errors.service_id = service_targets.service_id and config_errors.client_id = clients.id
          and config_errors.status = 'active' and config_errors.severity <> 'warning') as error_since
    from service_targets join clients on clients.id = service_targets.client_id
      left join node_states
        on node_states.service_id = service_targets.service_id and node_states.client_id = service_targets.client_id
    where service_targets.service_id = ${serviceId}`.execute(db);
  return new Map(rows.map((row) => [row.client_id, row]));
}

/** By client id. For a connected client, the time when it was last seen. */
async function readDisconnections(db: Db, serviceId: string): Promise<ReadonlyMap<string, Date | null>> {
  const { rows } = await sql<{ id: string; at: Date | null }>`
    select clients.id, case when clients.connected_to is null then disconnect_time else last_seen end as at
    from service_targets join clients on clients.id = service_targets.client_id
    where service_targets.service_id = ${serviceId}`.execute(db);
  return new Map(rows.map(({ id, at }) => [id, at]));
}

export interface ServiceNodeFilter {
  readonly projectId?: string;
  readonly serviceId?: string;
  readonly clientId?: string;
  /** For a change that affects many services. */
  readonly serviceIds?: readonly string[];
  /** Includes targets that are listed but not deployed. */
  readonly includeListed?: boolean;
}

/** Every node to configure: services on the clients where they are deployed, in a stable order. */
export async function listServiceNodes(db: Db, filter: ServiceNodeFilter = {}): Promise<ServiceNode[]> {
  const rows = await db
    .selectFrom('service_targets')
    .innerJoin('services', 'services.id', 'service_targets.service_id')
    .innerJoin('clients', 'clients.id', 'service_targets.client_id')
    .innerJoin('admin_ports', (join) =>
      join
        .onRef('admin_ports.client_id', '=', 'service_targets.client_id')
        .onRef('admin_ports.service_id', '=', 'service_targets.service_id'),
    )
    .selectAll('services')
    .select([
      'service_targets.client_id',
      'service_targets.addresses',
      'service_targets.run_state',
      'service_targets.envoy_version',
      'service_targets.drain_time_s',
      'service_targets.generation',
      'clients.runtime_dir',
      'clients.data_dir',
      'admin_ports.port',
    ])
    .$if(!filter.includeListed, (query) => query.where('service_targets.deployed', '=', true))
    .$if(filter.projectId !== undefined, (query) => query.where('services.project_id', '=', filter.projectId ?? ''))
    .$if(filter.serviceId !== undefined, (query) => query.where('services.id', '=', filter.serviceId ?? ''))
    .$if(filter.clientId !== undefined, (query) => query.where('clients.id', '=', filter.clientId ?? ''))
    .$if(filter.serviceIds !== undefined, (query) =>
      query.where(sql<boolean>`services.id = any(${[...(filter.serviceIds ?? [])]}::uuid[])`),
    )
    .orderBy('services.id')
    .orderBy('service_targets.client_id')
    .execute();
  return rows.map((row) => ({
    serviceId: row.id,
    name: row.name,
    projectId: row.project_id,
    version: row.version,
    envoyVersion: row.envoy_version ?? row.version,
    drainTimeS: row.drain_time_s ?? undefined,
    bootstrap: row.bootstrap,
    listeners: row.listeners,
    policies: row.policies,
    shield: { threads: row.shield_threads, xffTrustedHops: row.shield_xff_trusted_hops },
    apiDiscovery: row.api_discovery,
    client: { id: row.client_id, addresses: row.addresses, runtimeDir: row.runtime_dir, dataDir: row.data_dir },
    adminPort: row.port,
    runState: row.run_state,
    generation: row.generation,
  }));
}

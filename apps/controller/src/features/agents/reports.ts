import type { Db, Tx } from '@flotilla/db';
import { type fleet, formatNodeId, parseNodeId } from '@flotilla/proto';
import { sql } from 'kysely';
import { recordComplaints, resolveNode } from '../config-errors/index.ts';
import { releaseAdminPort, type StoredResource } from '../services/index.ts';
import { cleanText, listRefusals, toPhase, toRolloutState, toStoredReport, toStoredResources } from './report-model.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

interface NodeService {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
}

/**
 * Writes down what agents say of the services on their hosts. An agent is believed only about services that were meant for
 * it; what it says of others changes nothing.
 */
export class AgentReports {
  readonly #db: Db;

  constructor(deps: { db: Db }) {
    this.#db = deps.db;
  }

  /** All there is on the host, said at the beginning of a stream: what is not named is not there. */
  async recordHello(clientId: string, nodes: readonly fleet.NodeReport[], now: Date): Promise<void> {
    for (const node of nodes) await this.recordNode(clientId, node, now);
    const present = nodes.filter((node) => !node.removed && UUID.test(node.serviceId)).map((node) => node.serviceId);
    const absent = await this.#db
      .selectFrom('node_states')
      .select('service_id')
      .where('client_id', '=', clientId)
      .where(sql<boolean>`not (service_id = any(${present}::uuid[]))`)
      .execute();
    for (const { service_id: serviceId } of absent) await this.#recordRemoved(clientId, serviceId, now);
  }

  async recordNode(clientId: string, report: fleet.NodeReport, now: Date): Promise<void> {
    const { serviceId } = report;
    if (!UUID.test(serviceId)) return;
    if (report.removed) {
      await this.#recordRemoved(clientId, serviceId, now);
      return;
    }
    const phase = toPhase(report.phase);
    const stored = toStoredReport(report);
    await this.#db.transaction().execute(async (tx) => {
      const { rows } = await sql`
        insert into node_states (client_id, service_id, report, reported_at, generation, phase, envoy_version, policy_digest)
        select ${clientId}, ${serviceId}, ${JSON.stringify(stored)}::jsonb, ${now}, ${toGeneration(report.generation)},
          ${phase}, ${cleanText(report.envoyVersion, 64) || null}, ${cleanText(report.policyDigest, 128) || null}
        where exists (select from service_targets where client_id = ${clientId} and service_id = ${serviceId})
          or exists (select from node_states where client_id = ${clientId} and service_id = ${serviceId})
        on conflict (client_id, service_id) do update set report = excluded.report, reported_at = excluded.reported_at,
          generation = excluded.generation, phase = excluded.phase, envoy_version = excluded.envoy_version,
          policy_digest = excluded.policy_digest
        returning service_id`.execute(tx);
      const service = rows.length > 0 ? await findService(tx, { id: serviceId, clientId }) : undefined;
      if (service) await this.#recordNodeComplaints(tx, { service, clientId, phase, report, now });
    });
  }

  async recordRollout(clientId: string, report: fleet.RolloutReport, now: Date): Promise<void> {
    const node = parseNodeId(report.nodeId);
    if (node?.clientId !== clientId || !UUID.test(node.project)) return;
    await this.#db.transaction().execute(async (tx) => {
      const service = await tx
        .selectFrom('services')
        .innerJoin('clients', 'clients.project_id', 'services.project_id')
        .select(['services.id', 'services.name', 'services.project_id as projectId'])
        .where('services.project_id', '=', node.project)
        .where('services.name', '=', node.service)
        .where('clients.id', '=', clientId)
        .executeTakeFirst();
      if (!service) return;
      const before = await tx
        .selectFrom('node_states')
        .select('resources')
        .where('client_id', '=', clientId)
        .where('service_id', '=', service.id)
        .forUpdate()
        .executeTakeFirst();
      if (!before) return;
      const resources = toStoredResources(report);
      await tx
        .updateTable('node_states')
        .set({
          rollout_state: toRolloutState(report.state),
          snapshot_version: cleanText(report.snapshotVersion, 256),
          resources: JSON.stringify(resources),
          rollout_at: now,
        })
        .where('client_id', '=', clientId)
        .where('service_id', '=', service.id)
        .execute();
      const stateOf = new Map(resources.map((one) => [`${one.type} ${one.name}`, one.state]));
      await recordComplaints(
        tx,
        { ...scopeOf(service, clientId), source: 'rollout' },
        {
          complaints: listRefusals(resources, (before.resources ?? []) as StoredResource[]),
          // On its way, or held back by another: whether it is right now is not decided.
          isOpen: ({ type, name }) => ['waiting', 'sent', 'held'].includes(stateOf.get(`${type} ${name}`) ?? ''),
          now,
        },
      );
    });
  }

  async #recordNodeComplaints(
    tx: Tx,
    facts: { service: NodeService; clientId: string; phase: string | null; report: fleet.NodeReport; now: Date },
  ): Promise<void> {
    const { service, clientId, phase, report, now } = facts;
    const error = cleanText(report.error);
    const policyError = cleanText(report.policyError);
    await recordComplaints(
      tx,
      { ...scopeOf(service, clientId), source: 'node' },
      {
        complaints: error
          ? [
              {
                resourceType: 'service',
                resourceName: service.name,
                severity: phase === 'failed' ? 'critical' : 'error',
                message: `Service "${service.name}" does not run there as configured: ${error}`,
                rawMessage: error,
              },
            ]
          : [],
        now,
      },
    );
    await recordComplaints(
      tx,
      { ...scopeOf(service, clientId), source: 'policy' },
      {
        complaints: policyError
          ? [
              {
                resourceType: 'policy',
                resourceName: service.name,
                severity: report.policyDigest ? 'error' : 'critical',
                message: `The filter refused the policies of service "${service.name}"${report.policyDigest ? '; the ones before stay live' : ''}: ${policyError}`,
                rawMessage: policyError,
              },
            ]
          : [],
        now,
      },
    );
  }

  /** Nothing of the service is left on the host: its port is free, unless the service is meant for the client again. */
  async #recordRemoved(clientId: string, serviceId: string, now: Date): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      const target = await tx
        .selectFrom('service_targets')
        .select('deployed')
        .where('client_id', '=', clientId)
        .where('service_id', '=', serviceId)
        .forKeyShare()
        .executeTakeFirst();
      if (target?.deployed) {
        await tx
          .updateTable('node_states')
          .set({
            phase: null,
            envoy_version: null,
            policy_digest: null,
            report: null,
            resources: null,
            rollout_at: null,
          })
          .where('client_id', '=', clientId)
          .where('service_id', '=', serviceId)
          .execute();
        return;
      }
      await tx
        .deleteFrom('node_states')
        .where('client_id', '=', clientId)
        .where('service_id', '=', serviceId)
        .execute();
      await resolveNode(tx, { serviceId, clientId }, now);
      if (!target) await releaseAdminPort(tx, serviceId, clientId);
    });
  }
}

/** Ours stay far below 2^53; more is not from us. */
function toGeneration(reported: bigint): number {
  return Number(reported > BigInt(Number.MAX_SAFE_INTEGER) ? 0n : reported);
}

async function findService(tx: Tx, key: { id: string; clientId: string }): Promise<NodeService | undefined> {
  return tx
    .selectFrom('services')
    .select(['services.id', 'services.name', 'services.project_id as projectId'])
    .where('services.id', '=', key.id)
    .executeTakeFirst();
}

function scopeOf(service: NodeService, clientId: string) {
  const { id, name, projectId } = service;
  const nodeId = formatNodeId({ service: name, project: projectId, clientId });
  return { projectId, serviceId: id, clientId, nodeId };
}

import type { Db } from '@flotilla/db';
import { Batches } from '@flotilla/kit';
import { type fleet, formatNodeId, parseNodeId } from '@flotilla/proto';
import { recordComplaints, resolveNode } from '../config-errors/index.ts';
import { releaseAdminPort } from '../services/index.ts';
import { listFilterComplaints, listNodeComplaints, listPolicyComplaints } from './complaints.ts';
import {
  deleteNode,
  findService,
  findServiceOfNode,
  findTarget,
  forgetNode,
  listKnownNodes,
  lockResources,
  type NodeService,
  storeRollout,
  upsertNode,
} from './node-store.ts';
import { cleanText, listRefusals, toPhase, toRolloutState, toStoredReport, toStoredResources } from './report-model.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Clients per statement. */
const KNOWN_MAX = 500;

/**
 * Stores the agents' reports about services on their hosts. Reports about services that are not assigned to the client
 * are ignored.
 */
export class AgentReports {
  readonly #db: Db;
  /** Many streams open at once after a controller has started. */
  readonly #known: Batches<string, ReadonlyArray<{ readonly service_id: string }>>;

  constructor({ db }: { db: Db }) {
    this.#db = db;
    this.#known = new Batches({
      max: KNOWN_MAX,
      run: async (clientIds) => {
        const known = await listKnownNodes(db, clientIds);
        return clientIds.map((id) => known.get(id) ?? []);
      },
    });
  }

  /** Stores the complete list from the start of a stream: a node that it does not name does not exist on the host. */
  async recordHello(clientId: string, nodes: readonly fleet.NodeReport[], now: Date): Promise<void> {
    for (const node of nodes) await this.recordNode(clientId, node, now);
    const present = new Set(nodes.filter((node) => !node.removed).map((node) => node.serviceId));
    for (const { service_id: serviceId } of await this.#known.add(clientId))
      if (!present.has(serviceId)) await this.#recordRemoved(clientId, serviceId, now);
  }

  async recordNode(clientId: string, report: fleet.NodeReport, now: Date): Promise<void> {
    const { serviceId } = report;
    if (!UUID.test(serviceId)) return;
    if (report.removed) {
      await this.#recordRemoved(clientId, serviceId, now);
      return;
    }
    const phase = toPhase(report.phase);
    const node = {
      report: toStoredReport(report),
      generation: toGeneration(report.generation),
      phase,
      envoyVersion: cleanText(report.envoyVersion, 64) || null,
      policyDigest: cleanText(report.policyDigest, 128) || null,
    };
    await this.#db.transaction().execute(async (tx) => {
      const isOurs = await upsertNode(tx, { clientId, serviceId }, node, now);
      const service = isOurs ? await findService(tx, serviceId) : undefined;
      if (!service) return;
      const reported = { service: service.name, phase, report };
      const scope = scopeOf(service, clientId);
      await recordComplaints(tx, { ...scope, source: 'node' }, { complaints: listNodeComplaints(reported), now });
      await recordComplaints(tx, { ...scope, source: 'policy' }, { complaints: listPolicyComplaints(reported), now });
      await recordComplaints(tx, { ...scope, source: 'filter' }, { complaints: listFilterComplaints(reported), now });
    });
  }

  async recordRollout(clientId: string, report: fleet.RolloutReport, now: Date): Promise<void> {
    const node = parseNodeId(report.nodeId);
    if (node?.clientId !== clientId || !UUID.test(node.project)) return;
    await this.#db.transaction().execute(async (tx) => {
      const service = await findServiceOfNode(tx, node);
      if (!service) return;
      const key = { clientId, serviceId: service.id };
      const before = await lockResources(tx, key);
      if (!before) return;
      const resources = toStoredResources(report);
      await storeRollout(
        tx,
        key,
        { state: toRolloutState(report.state), version: cleanText(report.snapshotVersion, 256), resources },
        now,
      );
      const stateOf = new Map(resources.map((one) => [`${one.type} ${one.name}`, one.state]));
      await recordComplaints(
        tx,
        { ...scopeOf(service, clientId), source: 'rollout' },
        {
          complaints: listRefusals(resources, before),
          // The resource is being sent or held back, so its result is not known yet.
          isOpen: ({ type, name }) => ['waiting', 'sent', 'held'].includes(stateOf.get(`${type} ${name}`) ?? ''),
          now,
        },
      );
    });
  }

  /**
   * The host has nothing of the service any more: frees its port unless the service is assigned to the client again.
   */
  async #recordRemoved(clientId: string, serviceId: string, now: Date): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      const key = { clientId, serviceId };
      const target = await findTarget(tx, key);
      if (target?.deployed) {
        await forgetNode(tx, key);
        return;
      }
      await deleteNode(tx, key);
      await resolveNode(tx, { serviceId, clientId }, now);
      if (!target) await releaseAdminPort(tx, serviceId, clientId);
    });
  }
}

/** Our generations stay far below 2^53; a larger one is not ours. */
function toGeneration(reported: bigint): number {
  return Number(reported > BigInt(Number.MAX_SAFE_INTEGER) ? 0n : reported);
}

function scopeOf(service: NodeService, clientId: string) {
  const { id, name, projectId } = service;
  const nodeId = formatNodeId({ service: name, project: projectId, clientId });
  return { projectId, serviceId: id, clientId, nodeId };
}

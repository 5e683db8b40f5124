import { type Collection, fail, type Rollout } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { PolicyBundle } from '../../configuration/public.ts';
import { describeKind, findDocumentHeads, findReachedServices } from '../../configuration/public.ts';
import type { ServiceNode } from '../services/index.ts';
import { nodeIdOf, type SnapshotService } from '../snapshots/index.ts';
import { contentOfDocument, contentOfService } from './desired-content.ts';
import {
  type Before,
  compareStates,
  countStates,
  type DesiredContent,
  deriveNodeProgress,
  deriveState,
  isStopped,
  type NodeProgress,
} from './model.ts';
import {
  findDocumentBefore,
  findSubject,
  listServicesOfPolicy,
  type ReportedNode,
  readReported,
  type Subject,
} from './store.ts';

export interface RolloutDeps {
  readonly db: Db;
  readonly snapshots: Pick<SnapshotService, 'previewFreshNodes'>;
  readonly listServiceNodes: (db: Db, filter: { serviceIds: readonly string[] }) => Promise<readonly ServiceNode[]>;
  readonly policyBundleFor: (node: {
    projectId: string;
    policies: readonly string[];
  }) => Promise<PolicyBundle | undefined>;
}

type Asked = {
  readonly collection: Collection | 'policies' | 'services';
  readonly name: string;
  readonly version?: string | undefined;
};

interface Reach extends Subject {
  readonly nodes: ReadonlyArray<{ readonly node: ServiceNode; readonly wanted: DesiredContent }>;
  /**
   * Finds the content that a node was supposed to run before the change, if the change may have left parts untouched.
   */
  readonly findBefore?: (node: ServiceNode) => Promise<Before | undefined>;
}

const NODES_MAX = 1000;

/** Returns the progress of the newest revision, derived each time from the database and the agents' reports. */
export async function readRollout(deps: RolloutDeps, project: string, asked: Asked): Promise<Rollout> {
  const { revision, nodes, findBefore } = await findReach(deps, project, asked);
  const serviceIds = [...new Set(nodes.map(({ node }) => node.serviceId))];
  const reported = await readReported(deps.db, serviceIds);
  const listed: Rollout['nodes'] = [];
  for (const { node, wanted } of nodes) {
    const known = reported.get(`${node.serviceId}/${node.client.id}`);
    if (!known) continue;
    const found = deriveNodeProgress(wanted, known);
    // Only computed for refusals: it costs as much as the rest of the answer.
    const before = isStopped(found.state) ? await findBefore?.(node) : undefined;
    listed.push(toRolloutNode(node, known, before ? deriveNodeProgress(wanted, known, before) : found));
  }
  const counts = countStates(listed.map(({ state }) => state));
  listed.sort((a, b) => compareStates(a.state, b.state) || (a.node_id < b.node_id ? -1 : 1));
  return {
    ...deriveState(counts),
    revision,
    current_revision: revision,
    superseded: false,
    counts,
    nodes: listed.slice(0, NODES_MAX),
  };
}

/** The same as an answer about an earlier revision. */
export function toRevision(newest: Rollout, revision: number = newest.revision): Rollout {
  if (revision > newest.revision) throw fail('record.not_found', { kind: 'revision', name: revision });
  return { ...newest, revision, superseded: revision < newest.revision };
}

function findReach(deps: RolloutDeps, project: string, asked: Asked): Promise<Reach> {
  switch (asked.collection) {
    case 'policies':
      return reachOfPolicy(deps, project, asked.name);
    case 'services':
      return reachOfService(deps, project, asked.name);
    default:
      return reachOfDocument(deps, project, { ...asked, collection: asked.collection });
  }
}

async function reachOfDocument(
  deps: RolloutDeps,
  project: string,
  { collection, name, version }: Asked & { collection: Collection },
): Promise<Reach> {
  if (version === undefined) {
    const detail = { path: 'version', rule: 'required', message: 'say for which proxy version' };
    throw fail('request.invalid', { reason: 'version: say for which proxy version' }, { details: [detail] });
  }
  const scope = { project, version };
  const [row] = await findDocumentHeads(deps.db, scope, [{ collection, name }]);
  if (!row) throw fail('record.not_found', { kind: describeKind(collection), name });
  const services = await findReachedServices(deps.db, scope, [{ collection, name }]);
  const key = `${collection}/${name}`;
  const nodes = await listNodes(deps, services);
  const previews = await deps.snapshots.previewFreshNodes(nodes, [key]);
  const reached = nodes.flatMap((node, i) => {
    const preview = previews[i];
    const wanted = preview && contentOfDocument(preview, key, row.updated_at);
    return wanted ? [{ node, wanted }] : [];
  });
  return { id: row.id, revision: row.revision, changedAt: row.updated_at, nodes: reached };
}

async function reachOfPolicy(deps: RolloutDeps, project: string, name: string): Promise<Reach> {
  const subject = await requireSubject(deps.db, 'policies', { project, name });
  const ids = await listServicesOfPolicy(deps.db, project, name);
  const nodes = await listNodes(
    deps,
    ids.map((id) => ({ id })),
  );
  const digests = await digestPolicies(deps, nodes);
  const reached = nodes.map((node) => ({
    node,
    wanted: {
      resources: [],
      isComplete: false,
      bootstrapDigest: undefined,
      policyDigest: digests.get(node.serviceId),
      problem: undefined,
      changedAt: subject.changedAt,
    },
  }));
  return { ...subject, nodes: reached };
}

async function reachOfService(deps: RolloutDeps, project: string, name: string): Promise<Reach> {
  const subject = await requireSubject(deps.db, 'services', { project, name });
  const nodes = await listNodes(deps, [subject]);
  const previews = await deps.snapshots.previewFreshNodes(nodes, []);
  const digests = await digestPolicies(deps, nodes);
  const reached = nodes.flatMap((node, i) => {
    const preview = previews[i];
    const more = { policyDigest: digests.get(node.serviceId), changedAt: subject.changedAt };
    return preview ? [{ node, wanted: contentOfService(preview, more) }] : [];
  });
  return { ...subject, nodes: reached, findBefore: createFindBefore(deps, subject) };
}

/**
 * Translates the service as it was before its newest revision with the newest documents, so that only the service
 * differs.
 */
function createFindBefore(deps: RolloutDeps, subject: Subject): NonNullable<Reach['findBefore']> {
  let earlier: ReturnType<typeof findDocumentBefore> | undefined;
  return async (node) => {
    earlier ??= findDocumentBefore(deps.db, subject);
    const document = await earlier;
    const listed = document?.clients.find(({ client_id }) => client_id === node.client.id);
    if (!document || !listed || document.version !== node.version) return undefined;
    const { bootstrap, listeners, policies, shield, api_discovery: apiDiscovery } = document;
    const then = {
      ...node,
      bootstrap,
      listeners,
      policies,
      shield: { threads: shield.threads, xffTrustedHops: shield.xff_trusted_hops },
      apiDiscovery,
      client: { ...node.client, addresses: listed.addresses },
    };
    const [preview] = await deps.snapshots.previewFreshNodes([then], []);
    const bundle = await deps.policyBundleFor(then);
    const more = { policyDigest: bundle?.digest, changedAt: subject.changedAt };
    return preview && contentOfService(preview, more);
  };
}

async function requireSubject(db: Db, table: 'policies' | 'services', key: { project: string; name: string }) {
  const subject = await findSubject(db, table, key);
  if (!subject) throw fail('record.not_found', { kind: table === 'policies' ? 'policy' : 'service', name: key.name });
  return subject;
}

async function listNodes(deps: RolloutDeps, services: ReadonlyArray<{ readonly id: string }>) {
  if (services.length === 0) return [];
  return deps.listServiceNodes(deps.db, { serviceIds: services.map(({ id }) => id) });
}

/** The bundle digest by service id; nodes of a service share their bundle. */
async function digestPolicies(deps: RolloutDeps, nodes: readonly ServiceNode[]): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  for (const node of nodes) {
    if (digests.has(node.serviceId)) continue;
    const bundle = await deps.policyBundleFor(node);
    if (bundle) digests.set(node.serviceId, bundle.digest);
  }
  return digests;
}

function toRolloutNode(
  node: ServiceNode,
  known: ReportedNode,
  { state, reason, since }: NodeProgress,
): Rollout['nodes'][number] {
  return {
    node_id: nodeIdOf(node),
    service: { id: node.serviceId, name: node.name },
    client_id: node.client.id,
    client_name: known.clientName,
    connected: known.connected,
    state,
    reason,
    since: since?.toISOString() ?? null,
  };
}

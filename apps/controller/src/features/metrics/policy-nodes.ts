import { fail, type PolicyNode, type PolicyNodes } from '@flotilla/contract';
import type { Db, StoredPolicyFile } from '@flotilla/db';
import { digestBundle } from '@flotilla/policy';
import { formatNodeId } from '@flotilla/proto';
import { sql } from 'kysely';
import { executePage, parsePage } from '../../http/paging.ts';
import { isConnected } from '../clients/index.ts';
import { findPolicies, findPolicyUsers, toBundleFiles } from '../policies/index.ts';

interface Text {
  readonly name: string;
  readonly revision: number;
  readonly text: string;
  readonly files: readonly StoredPolicyFile[];
}

/** What a bundle says of the policy that is asked about. */
interface Found {
  readonly current: boolean;
  /** Null: the policy is not in it. */
  readonly revision: number | null;
}

/** What bundles of a service's policies look like, as far as it can be told from their revisions. */
interface KnownBundles {
  readonly wanted: string;
  readonly byDigest: ReadonlyMap<string, Found>;
}

/** So many earlier revisions of the policy, and of each other one of the service, are tried. */
const REVISIONS_TRIED = 20;
const OTHERS_TRIED = 5;
const BUNDLES_TRIED_MAX = 400;
const PAGE_RULES = {
  sortable: { service: 'services.name', client: 'clients.name' },
  defaultSort: 'service,client',
  id: sql`service_targets.service_id::text || service_targets.client_id::text`,
};

/**
 * Which nodes run which revision of a policy. The filter tells the digest of its whole bundle; which revisions made it is
 * found by putting the bundles of known revisions together again.
 */
export async function listPolicyNodes(
  db: Db,
  key: { readonly projectId: string; readonly name: string },
  query: { readonly limit?: number | undefined; readonly cursor?: string | undefined; readonly now: Date },
): Promise<PolicyNodes> {
  const { projectId, name } = key;
  const [policy] = await findPolicies(db, projectId, [name]);
  if (!policy) throw fail('record.not_found', { kind: 'policy', name });
  const users = await findPolicyUsers(db, projectId, name);
  const ids = users.map(({ id }) => id);
  const states = await db
    .selectFrom('service_targets')
    .leftJoin('node_states', (join) =>
      join
        .onRef('node_states.client_id', '=', 'service_targets.client_id')
        .onRef('node_states.service_id', '=', 'service_targets.service_id'),
    )
    .select(['service_targets.service_id', 'node_states.policy_digest', 'node_states.reported_at'])
    .select(({ fn }) => fn.countAll<number>().as('nodes'))
    .where(sql<boolean>`service_targets.service_id = any(${ids}::uuid[])`)
    .where('service_targets.deployed', '=', true)
    .groupBy(['service_targets.service_id', 'node_states.policy_digest', 'node_states.reported_at'])
    .execute();
  const bundles = new Map<string, KnownBundles>();
  for (const user of users) {
    const live = states.flatMap((state) => (state.service_id === user.id ? (state.policy_digest ?? []) : []));
    bundles.set(user.id, await findBundles(db, { projectId, name, policies: user.policies }, new Set(live)));
  }
  const judge = (serviceId: string, digest: string | null, isReported: boolean): Pick<PolicyNode, 'current'> & Live =>
    judgeNode(bundles.get(serviceId), digest, isReported);
  const summary = { nodes: 0, current: 0, outdated: 0, unknown: 0 };
  for (const state of states) {
    const { current } = judge(state.service_id, state.policy_digest, state.reported_at !== null);
    const count = Number(state.nodes);
    summary.nodes += count;
    summary[current === null ? 'unknown' : current ? 'current' : 'outdated'] += count;
  }
  const { rows, next_cursor } = await executePage(selectNodes(db, ids, query.now), parsePage(query, PAGE_RULES));
  return {
    policy: { name, digest: policy.digest, revision: policy.revision },
    summary,
    next_cursor,
    items: rows.map((row): PolicyNode => {
      const report = (row.report ?? {}) as { policy_error?: string | null; shield_running?: boolean };
      return {
        service_id: row.service_id,
        service_name: row.service_name,
        client_id: row.client_id,
        client_name: row.client_name,
        node_id: formatNodeId({ service: row.service_name, project: projectId, clientId: row.client_id }),
        connected: row.connected,
        run_state: row.run_state,
        wanted_digest: bundles.get(row.service_id)?.wanted ?? '',
        live_digest: row.policy_digest,
        ...judge(row.service_id, row.policy_digest, row.reported_at !== null),
        policy_error: report.policy_error ?? null,
        shield_running: report.shield_running ?? false,
        reported_at: row.reported_at?.toISOString() ?? null,
      };
    }),
  };
}

type Live = Pick<PolicyNode, 'live_revision'>;

function judgeNode(
  bundles: KnownBundles | undefined,
  digest: string | null,
  isReported: boolean,
): Pick<PolicyNode, 'current'> & Live {
  if (!isReported) return { current: null, live_revision: null };
  // It has said what it runs, and no filter is among that.
  if (digest === null) return { current: false, live_revision: null };
  const found = bundles?.byDigest.get(digest);
  return { current: found?.current ?? null, live_revision: found?.revision ?? null };
}

function selectNodes(db: Db, serviceIds: readonly string[], now: Date) {
  return db
    .selectFrom('service_targets')
    .innerJoin('services', 'services.id', 'service_targets.service_id')
    .innerJoin('clients', 'clients.id', 'service_targets.client_id')
    .leftJoin('node_states', (join) =>
      join
        .onRef('node_states.client_id', '=', 'service_targets.client_id')
        .onRef('node_states.service_id', '=', 'service_targets.service_id'),
    )
    .select([
      'service_targets.service_id',
      'service_targets.client_id',
      'service_targets.run_state',
      'services.name as service_name',
      'clients.name as client_name',
      'node_states.policy_digest',
      'node_states.report',
      'node_states.reported_at',
      isConnected(now).$castTo<boolean>().as('connected'),
    ])
    .where(sql<boolean>`service_targets.service_id = any(${[...serviceIds]}::uuid[])`)
    .where('service_targets.deployed', '=', true);
}

async function findBundles(
  db: Db,
  service: { readonly projectId: string; readonly name: string; readonly policies: readonly string[] },
  live: ReadonlySet<string>,
): Promise<KnownBundles> {
  const rows = await findPolicies(db, service.projectId, service.policies);
  const newest: Text[] = rows.map(({ name, revision, text, files }) => ({ name, revision, text, files }));
  const wanted = digestBundle(toBundleFiles(newest));
  const own = newest.find(({ name }) => name === service.name);
  const byDigest = new Map<string, Found>([[wanted, { current: true, revision: own?.revision ?? null }]]);
  const isDone = () => [...live].every((digest) => byDigest.has(digest));
  if (isDone() || !own) return { wanted, byDigest };
  const others = newest.filter(({ name }) => name !== service.name);
  const earlier = new Map<string, Text[]>();
  for (const row of rows) {
    const count = row.name === service.name ? REVISIONS_TRIED : OTHERS_TRIED;
    earlier.set(row.name, await readEarlier(db, row, count));
  }
  let tried = 0;
  for (const surroundings of vary(others, earlier)) {
    for (const text of [own, ...(earlier.get(own.name) ?? []), undefined]) {
      if (tried++ >= BUNDLES_TRIED_MAX || isDone()) return { wanted, byDigest };
      const digest = digestBundle(toBundleFiles(text ? [text, ...surroundings] : surroundings));
      const isCurrent = text !== undefined && isSameText(text, own);
      const found = { current: isCurrent, revision: isCurrent ? own.revision : (text?.revision ?? null) };
      if (!byDigest.has(digest)) byDigest.set(digest, found);
    }
  }
  return { wanted, byDigest };
}

/** The other policies as they are, then with one of them as it was, or not there yet. */
function* vary(others: readonly Text[], earlier: ReadonlyMap<string, readonly Text[]>): Generator<readonly Text[]> {
  yield others;
  for (const [i, other] of others.entries()) {
    for (const text of earlier.get(other.name) ?? []) yield others.with(i, text);
    yield others.toSpliced(i, 1);
  }
}

/** A policy that was changed and changed back runs as it is now. */
function isSameText(one: Text, other: Text): boolean {
  return digestBundle(toBundleFiles([one])) === digestBundle(toBundleFiles([other]));
}

async function readEarlier(
  db: Db,
  policy: { readonly id: string; readonly name: string; readonly revision: number },
  count: number,
): Promise<Text[]> {
  const rows = await db
    .selectFrom('policy_revisions')
    .select(['revision', 'text', 'files'])
    .where('policy_id', '=', policy.id)
    .where('revision', '<', policy.revision)
    .orderBy('revision', 'desc')
    .limit(count)
    .execute();
  return rows.map((row) => ({ ...row, name: policy.name }));
}

import { fail, type PolicyInBundle, type PolicyNode, type PolicyNodes } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { findPolicies, findPolicyUsers } from '../../configuration/public.ts';
import { toNodeFields } from './node-fields.ts';
import { createBudget, findBundles, type KnownBundles } from './policy-bundles.ts';
import { countNodeStates, listNodes } from './policy-node-store.ts';

/**
 * Lists which nodes run which revision of a policy. A filter reports only the digest of its whole bundle, so its
 * revisions are found by building bundles of known revisions.
 */
export async function listPolicyNodes(
  deps: { readonly db: Db; readonly keyring: Keyring },
  key: { readonly projectId: string; readonly name: string },
  query: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
): Promise<PolicyNodes> {
  const { db } = deps;
  const { projectId, name } = key;
  const [policy] = await findPolicies(db, projectId, [name]);
  if (!policy) throw fail('record.not_found', { kind: 'policy', name });
  const users = await findPolicyUsers(db, projectId, name);
  const ids = users.map(({ id }) => id);
  const states = await countNodeStates(db, ids);
  const bundles = await findBundlesOfServices(deps, key, { users, states });
  const judge = (serviceId: string, digest: string | null, isReported: boolean): Pick<PolicyNode, 'current'> & Live =>
    judgeNode(bundles.get(serviceId), digest, isReported);
  const summary = { nodes: 0, current: 0, outdated: 0, unknown: 0 };
  for (const state of states) {
    const { current } = judge(state.service_id, state.policy_digest, state.is_reported);
    const count = Number(state.nodes);
    summary.nodes += count;
    summary[current === null ? 'unknown' : current ? 'current' : 'outdated'] += count;
  }
  const { items, ...page } = await listNodes(db, ids, query);
  return {
    policy: { name, digest: policy.digest, revision: policy.revision },
    summary,
    ...page,
    items: items.map(
      (row): PolicyNode => ({
        ...toNodeFields(row, projectId, bundles.get(row.service_id)?.wanted ?? ''),
        ...judge(row.service_id, row.policy_digest, row.reported_at !== null),
      }),
    ),
  };
}

/** For a bundle that may not be live any more, such as that of an event. */
export async function findPolicyInBundle(
  deps: { readonly db: Db; readonly keyring: Keyring },
  key: { readonly projectId: string; readonly name: string },
  { digest, serviceId }: { readonly digest: string; readonly serviceId: string | undefined },
): Promise<PolicyInBundle> {
  const { projectId, name } = key;
  const [policy] = await findPolicies(deps.db, projectId, [name]);
  if (!policy) throw fail('record.not_found', { kind: 'policy', name });
  const users = await findPolicyUsers(deps.db, projectId, name);
  const policies = users.find(({ id }) => id === serviceId)?.policies ?? [name];
  const wish = { live: new Set([digest]), budget: createBudget() };
  const { byDigest } = await findBundles(deps, { ...key, policies }, wish);
  return byDigest.get(digest) ?? { current: null, revision: null };
}

/** By service. Services with the same policies run the same bundles. */
async function findBundlesOfServices(
  deps: { readonly db: Db; readonly keyring: Keyring },
  key: { readonly projectId: string; readonly name: string },
  { users, states }: { users: Awaited<ReturnType<typeof findPolicyUsers>>; states: readonly NodeState[] },
): Promise<Map<string, KnownBundles>> {
  const budget = createBudget();
  const bundles = new Map<string, KnownBundles>();
  const alike = Map.groupBy(users, ({ policies }) => JSON.stringify([...policies].sort()));
  for (const services of alike.values()) {
    const ids = new Set(services.map(({ id }) => id));
    const live = new Set(states.flatMap((state) => (ids.has(state.service_id) ? (state.policy_digest ?? []) : [])));
    const policies = services[0]?.policies ?? [];
    const found = await findBundles(deps, { ...key, policies }, { live, budget });
    for (const id of ids) bundles.set(id, found);
  }
  return bundles;
}

interface NodeState {
  readonly service_id: string;
  readonly policy_digest: string | null;
}

type Live = Pick<PolicyNode, 'live_revision'>;

function judgeNode(
  bundles: KnownBundles | undefined,
  digest: string | null,
  isReported: boolean,
): Pick<PolicyNode, 'current'> & Live {
  if (!isReported) return { current: null, live_revision: null };
  // The node has reported, and it runs no filter.
  if (digest === null) return { current: false, live_revision: null };
  const found = bundles?.byDigest.get(digest);
  return { current: found?.current ?? null, live_revision: found?.revision ?? null };
}

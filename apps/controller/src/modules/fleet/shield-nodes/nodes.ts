import type { ShieldNode } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { ListedPage } from '../../../platform/database/records.ts';
import { listPolicyUsers, type PolicyBundle } from '../../configuration/public.ts';
import { listNodes, toNodeFields } from '../metrics/index.ts';

export interface ShieldNodeDeps {
  readonly db: Db;
  /** Rejects if the policies cannot be read. */
  readonly policyBundleFor: (service: {
    readonly projectId: string;
    readonly policies: readonly string[];
  }) => Promise<Pick<PolicyBundle, 'digest'> | undefined>;
}

export async function listShieldNodes(
  { db, policyBundleFor }: ShieldNodeDeps,
  projectId: string,
  query: Parameters<typeof listNodes>[2],
): Promise<ListedPage<ShieldNode>> {
  const users = await listPolicyUsers(db, projectId);
  const ids = users.map(({ id }) => id);
  const { items: rows, ...page } = await listNodes(db, ids, query);
  const policiesOf = new Map(users.map(({ id, policies }) => [id, policies]));
  const digests = new Map<string, string>();
  const items: ShieldNode[] = [];
  for (const row of rows) {
    const policies = policiesOf.get(row.service_id) ?? [];
    const key = JSON.stringify(policies);
    const wanted = digests.get(key) ?? (await policyBundleFor({ projectId, policies }))?.digest ?? '';
    digests.set(key, wanted);
    const isReported = row.reported_at !== null;
    items.push({
      ...toNodeFields(row, projectId, wanted),
      policies,
      current: isReported ? row.policy_digest === wanted : null,
    });
  }
  return { ...page, items };
}

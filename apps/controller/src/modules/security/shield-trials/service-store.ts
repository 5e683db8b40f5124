import type { Db } from '@flotilla/db';

export interface ServicePolicies {
  readonly policies: readonly string[];
  readonly trustedHops: number;
}

export async function findServicePolicies(db: Db, projectId: string, id: string): Promise<ServicePolicies | undefined> {
  const row = await db
    .selectFrom('services')
    .select(['policies', 'shield_xff_trusted_hops'])
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  return row && { policies: row.policies, trustedHops: row.shield_xff_trusted_hops };
}

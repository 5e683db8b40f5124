import type { Db } from '@flotilla/db';
import { type PolicyFile, parsePolicyDocument, writeEdges } from '@flotilla/policy';
import { sql } from 'kysely';
import { fileNameOf, type OpenPolicy } from './model.ts';

/** The field in YAML and JSON, found without parsing. One that is spelled with escapes is not found: its limit is not divided. */
const MAY_SHARE = '(^|[^a-z_])share[^a-z_]';

/** False for a text in which no limit can be shared, without parsing it. */
export function mayShareLimit(text: string): boolean {
  return new RegExp(MAY_SHARE).test(text);
}

/** Whether a limit of the policy is divided over the proxies that hold it. */
export function hasSharedLimit({ name, text }: Pick<OpenPolicy, 'name' | 'text'>): boolean {
  if (!mayShareLimit(text)) return false;
  const parsed = parsePolicyDocument({ path: fileNameOf(name), content: text });
  if (!parsed.ok) return false;
  const holders = parsed.value.spec.domains.flatMap((domain) => [domain, ...(domain.routes ?? [])]);
  return holders.some(({ policy }) => {
    const limit = policy?.engines?.rate_limit;
    return typeof limit === 'object' && limit !== null && 'share' in limit && limit.share === 'fleet';
  });
}

/**
 * What a bundle says of itself: for each of these policies, which are those with a shared limit, the number of proxies to which a
 * service with that policy is deployed. Nothing where no limit is shared, so that a bundle stays the same as proxies come and go.
 */
export async function listEdgesFiles(db: Db, project: string, names: readonly string[]): Promise<PolicyFile[]> {
  if (names.length === 0) return [];
  const { rows } = await sql<{ name: string; edges: number }>`
    select wanted.name, count(*)::int as edges
    from unnest(${names}::text[]) as wanted(name)
    join services s on s.project_id = ${project} and wanted.name = any(s.policies)
    join service_targets t on t.service_id = s.id and t.deployed
    group by 1
  `.execute(db);
  const counted = new Map(rows.map(({ name, edges }) => [name, edges]));
  return [writeEdges(new Map(names.map((name) => [name, counted.get(name) ?? 1])))];
}

/** Services whose bundle may say another number of proxies after services or clients have changed. */
export async function listSharingServices(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct s.id from services s
    join policies p on p.project_id = s.project_id and p.name = any(s.policies) and p.text ~ ${MAY_SHARE}
  `.execute(db);
  return rows.map(({ id }) => id);
}

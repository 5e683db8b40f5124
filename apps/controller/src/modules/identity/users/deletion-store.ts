import { createHash } from 'node:crypto';
import type { UserDeletion } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { type RawBuilder, sql } from 'kysely';
import { hasVouchedSecret } from '../../../platform/tokens/index.ts';

type Part = UserDeletion['items'][number];

const EXAMPLES_MAX = 10;

interface PartRow extends Part {
  /** Digest of the ids; null for data that changes on its own. */
  readonly ids: string | null;
}

/**
 * Everything that depends on an account, in one query. Only names and counts what is in `projects`, because the caller
 * must not learn about projects that they do not administer. undefined: all.
 */
// oxlint-disable-next-line max-lines-per-function -- a table of SQL queries, one per kind of data
export async function planUserDeletion(
  db: Db,
  userId: string,
  { projects, now }: { readonly projects: readonly string[] | undefined; readonly now: Date },
): Promise<UserDeletion> {
  const isIn = (project: RawBuilder<unknown>) =>
    projects === undefined ? sql`true` : sql`${project} = any(${[...projects]}::uuid[])`;
  const inReach = isIn(sql`project_id`);
  const mine = sql`user_id = ${userId}::uuid`;
  const madeByMe = sql`actor ->> 'kind' = 'user' and actor ->> 'id' = ${userId}`;
  const part = (kind: Part['kind'], fate: Part['fate'], names: RawBuilder<unknown>) =>
    sql`select ${kind}::text as kind, ${fate}::text as fate, count(*)::int as count,
      coalesce((array_agg(name order by name) filter (where name is not null))[1:${sql.lit(EXAMPLES_MAX)}], '{}') as examples,
      md5(string_agg(id::text, ',' order by id)) as ids
      from (${names}) named`;
  const parts = [
    part(
      'memberships',
      'deleted',
      sql`select projects.id, projects.name from memberships join projects on projects.id = memberships.project_id
        where ${mine} and ${inReach}`,
    ),
    part(
      'sessions',
      'deleted',
      sql`select null::uuid as id, null::text as name from sessions where ${mine} and ended_at is null`,
    ),
    part(
      'groups',
      'deleted',
      sql`select groups.id, groups.name from group_members join groups on groups.id = group_members.group_id
        where ${mine} and ${isIn(sql`groups.project_id`)}`,
    ),
    part('permissions', 'deleted', sql`select id, null::text as name from permissions where ${mine} and ${inReach}`),
    part('passkeys', 'deleted', sql`select id, name from passkeys where ${mine}`),
    part(
      'api_tokens',
      'ended',
      sql`select id, name from api_tokens where ${inReach}
        and id in (select token_id from token_secrets where issued_to = ${userId}::uuid)`,
    ),
    part(
      'enrolment_tokens',
      'ended',
      sql`select id, note as name from enrolment_tokens where ${inReach} and used_at is null and expires_at > ${now}
        and ${hasVouchedSecret(now)} and not ${hasVouchedSecret(now, { without: userId })}`,
    ),
    part(
      'jobs',
      'ended',
      sql`select null::uuid as id, type as name from jobs where ended_at is null and ${madeByMe} and ${inReach}`,
    ),
    part('schedules', 'ended', sql`select id, name from job_schedules where ${madeByMe} and ${inReach}`),
  ];
  const { rows } = await sql<PartRow>`${sql.join(parts, sql` union all `)}`.execute(db);
  const known = rows.map(({ kind, ids }) => [kind, ids]);
  return {
    digest: createHash('sha256')
      .update(JSON.stringify([userId, known]))
      .digest('hex'),
    items: rows.flatMap(({ ids: _, ...item }) => (item.count > 0 ? [item] : [])),
  };
}

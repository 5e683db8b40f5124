import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { isAttackSurface, isConfirmed } from './list-store.ts';

const confirmedAnd = (condition: RawBuilder<SqlBool>) =>
  sql<SqlBool>`(${isConfirmed} and not o.is_other and ${condition})`;

/** Methods that change something. `OTHER` may be one. */
const isWrite = sql<SqlBool>`o.method in ('POST', 'PUT', 'PATCH', 'DELETE', 'OTHER')`;

/** Conditions of the views of the inventory, besides the filter of the caller. */
export const VIEWS = {
  confirmed: isConfirmed,
  attackSurface: isAttackSurface,
  discoveries: (since: Date) => confirmedAnd(sql<SqlBool>`o.first_seen >= ${since}`),
  pii: confirmedAnd(sql<SqlBool>`o.pii <> 0`),
  zombies: ({ before, seen }: { readonly before: Date; readonly seen: number }) =>
    confirmedAnd(sql<SqlBool>`o.last_seen < ${before} and o.seen >= ${seen}`),
  /** Operations in the scope of a view of authentication. */
  authScope: (scope: 'write_methods' | 'all_methods') => (scope === 'all_methods' ? sql<SqlBool>`true` : isWrite),
  auth: (mode: 'unauthenticated' | 'inconsistent', scope: RawBuilder<SqlBool>) =>
    confirmedAnd(
      mode === 'inconsistent'
        ? sql<SqlBool>`(${scope} and o.auth_posture = 'inconsistent')`
        : sql<SqlBool>`(${scope} and o.auth_posture in ('anonymous', 'mixed', 'inconsistent'))`,
    ),
  exported: ({ host, minSeen }: { readonly host: string | undefined; readonly minSeen: number | undefined }) =>
    confirmedAnd(sql<SqlBool>`${host === undefined ? sql`true` : sql`o.host = ${host}`} and o.seen >= ${minSeen ?? 0}`),
} as const;

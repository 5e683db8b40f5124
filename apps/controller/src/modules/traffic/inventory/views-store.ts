import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { hasTerm, seenAtLeast, seenBefore } from './filter-store.ts';
import { isAttackSurface, isConfirmed } from './list-store.ts';
import { methodTerms, PII_TERMS, postureTerms } from './model/terms.ts';

const confirmedAnd = (condition: RawBuilder<SqlBool>) =>
  sql<SqlBool>`(${isConfirmed} and not o.is_other and ${condition})`;

/** Methods that change something. `OTHER` may be one. */
const isWrite = hasTerm(methodTerms(['POST', 'PUT', 'PATCH', 'DELETE', 'OTHER']));

/** Conditions of the views of the inventory, besides the filter of the caller. */
export const VIEWS = {
  confirmed: isConfirmed,
  attackSurface: isAttackSurface,
  discoveries: (since: Date) => confirmedAnd(sql<SqlBool>`o.first_seen >= ${since}`),
  pii: confirmedAnd(hasTerm(PII_TERMS)),
  zombies: ({ before, seen }: { readonly before: Date; readonly seen: number }) =>
    confirmedAnd(sql<SqlBool>`${seenBefore(before)} and ${seenAtLeast(seen)}`),
  /** Operations in the scope of a view of authentication. */
  authScope: (scope: 'write_methods' | 'all_methods') => (scope === 'all_methods' ? sql<SqlBool>`true` : isWrite),
  auth: (mode: 'unauthenticated' | 'inconsistent', scope: RawBuilder<SqlBool>) =>
    confirmedAnd(
      mode === 'inconsistent'
        ? sql<SqlBool>`(${scope} and ${hasTerm(postureTerms(['inconsistent']))})`
        : sql<SqlBool>`(${scope} and ${hasTerm(postureTerms(['anonymous', 'mixed', 'inconsistent']))})`,
    ),
  exported: ({ host, minSeen }: { readonly host: string | undefined; readonly minSeen: number | undefined }) =>
    confirmedAnd(sql<SqlBool>`${host === undefined ? sql`true` : sql`o.host = ${host}`} and o.seen >= ${minSeen ?? 0}`),
} as const;

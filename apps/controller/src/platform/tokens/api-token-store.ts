import { fail, isRoleAtLeast, LISTED_ROLES, ROUTE_FAMILIES, type RouteFamily } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { isSameSecret } from '@flotilla/kit';
import type { KnownActor } from '../http/actor.ts';
import { digestSecret } from './store.ts';

/** Prefix of API tokens, so that secret scanners find leaked ones and people can tell them from session tokens. */
export const API_TOKEN_PREFIX = 'flt_';

/** Precision of "last used", so that not every request writes. */
const TOUCH_EVERY_MS = 60_000;

/**
 * Finds the secret, the token, and the account and membership of its holder in one query. Throws auth.invalid and
 * auth.expired.
 */
export async function authenticateApiToken(db: Db, bearer: string, ip: string): Promise<KnownActor> {
  const hash = digestSecret(bearer);
  const row = await db
    .selectFrom('token_secrets')
    .innerJoin('api_tokens', 'api_tokens.id', 'token_secrets.token_id')
    .innerJoin('projects', 'projects.id', 'api_tokens.project_id')
    .leftJoin('users', 'users.id', 'token_secrets.issued_to')
    .leftJoin('external_identities', 'external_identities.user_id', 'users.id')
    .leftJoin('memberships', (join) =>
      join.onRef('memberships.user_id', '=', 'users.id').onRef('memberships.project_id', '=', 'api_tokens.project_id'),
    )
    .select(['token_secrets.hash', 'token_secrets.id as secret_id', 'token_secrets.expires_at as secret_expires_at'])
    .select(['api_tokens.id', 'api_tokens.name', 'api_tokens.project_id', 'api_tokens.role', 'api_tokens.families'])
    .select(['api_tokens.expires_at', 'api_tokens.last_used_at'])
    .select(['users.active', 'users.is_owner', 'memberships.role as maker_role', 'external_identities.gone_at'])
    .select(['token_secrets.issued_to', 'projects.resource_access'])
    .where('token_secrets.hash', '=', hash)
    .where('token_secrets.token_kind', '=', 'api')
    .executeTakeFirst();
  // The query used a digest that nobody can choose; the result is still compared in constant time.
  if (!row || !isSameSecret(row.hash, hash)) throw fail('auth.invalid');
  const now = Date.now();
  if (isOver(row.expires_at, now) || isOver(row.secret_expires_at, now)) throw fail('auth.expired');
  // A token may never do more than its holder: it ends with their account or membership, and is suspended while their
  // directory does not know them.
  const creatorRole = row.is_owner ? 'owner' : row.maker_role;
  if (!row.active || row.gone_at || !creatorRole) throw fail('auth.invalid');
  if (!row.last_used_at || now - row.last_used_at.getTime() >= TOUCH_EVERY_MS)
    await touch(db, row.id, ip, new Date(now));
  const role = isRoleAtLeast(creatorRole, row.role) ? row.role : creatorRole;
  const families = row.families && toFamilies(row.families);
  const { id, name, project_id: projectId, secret_id: secretId } = row;
  // The role of the token limits the actions; the holder's permissions limit the resources.
  const isListed = row.resource_access === 'listed' && LISTED_ROLES.includes(creatorRole);
  const reader = isListed ? (row.issued_to ?? undefined) : undefined;
  return { kind: 'token', id, name, secretId, projectId, role, families, reader };
}

/** Unknown scopes (of a token created before a renaming) allow nothing. */
export function toFamilies(names: readonly string[]): RouteFamily[] {
  return ROUTE_FAMILIES.filter((family) => names.includes(family));
}

function isOver(at: Date | null, now: number): boolean {
  return at !== null && at.getTime() <= now;
}

async function touch(db: Db, id: string, ip: string, now: Date): Promise<void> {
  await db.updateTable('api_tokens').set({ last_used_at: now, last_used_ip: ip }).where('id', '=', id).execute();
}

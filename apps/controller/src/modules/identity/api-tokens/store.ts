import { type ApiTokenView, fail, type Role, type RouteFamily } from '@flotilla/contract';
import { type Db, type Tx, uniqueViolationOf } from '@flotilla/db';
import { sql } from 'kysely';
import {
  executePage,
  type ListQuery,
  type ListRules,
  matchesText,
  parsePage,
} from '../../../platform/database/paging.ts';
import { toFamilies } from '../../../platform/tokens/index.ts';

const RULES: ListRules = {
  sortable: { name: 'api_tokens.name', created_at: 'api_tokens.created_at' },
  defaultSort: 'name',
  id: 'api_tokens.id',
};

export interface NewApiToken {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly description: string | null;
  readonly role: Role;
  readonly families: readonly RouteFamily[] | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

/** Dates as in JSON. */
interface StoredSecret {
  readonly prefix: string;
  readonly created_at: string;
  readonly expires_at: string | null;
}

function selectTokens(db: Db, projectId: string) {
  return db
    .selectFrom('api_tokens')
    .leftJoin('token_secrets as newest', (join) =>
      join.onRef('newest.token_id', '=', 'api_tokens.id').on('newest.expires_at', 'is', null),
    )
    .leftJoin('users as creator', 'creator.id', 'api_tokens.created_by')
    .leftJoin('users', 'users.id', 'newest.issued_to')
    .leftJoin('memberships', (join) =>
      join.onRef('memberships.user_id', '=', 'users.id').onRef('memberships.project_id', '=', 'api_tokens.project_id'),
    )
    .select([
      'api_tokens.id',
      'api_tokens.name',
      'api_tokens.project_id',
      'api_tokens.role',
      'api_tokens.description',
      'api_tokens.families',
      'api_tokens.last_used_ip',
      'creator.username as created_by',
      'users.username as issued_to',
      'users.active as maker_active',
      'users.is_owner as maker_is_owner',
      'memberships.role as maker_role',
      'api_tokens.created_at',
      'api_tokens.expires_at',
      'api_tokens.last_used_at',
    ])
    .select((eb) =>
      eb
        .selectFrom('token_secrets')
        .select(
          sql<
            StoredSecret[]
          >`coalesce(json_agg(json_build_object('prefix', prefix, 'created_at', token_secrets.created_at,
            'expires_at', token_secrets.expires_at) order by token_secrets.expires_at desc nulls first), '[]')`.as(
            'list',
          ),
        )
        .whereRef('token_secrets.token_id', '=', 'api_tokens.id')
        .where((or) =>
          or.or([
            or('token_secrets.expires_at', 'is', null),
            or('token_secrets.expires_at', '>', sql<Date>`clock_timestamp()`),
          ]),
        )
        .as('secrets'),
    )
    .where('api_tokens.project_id', '=', projectId);
}

type TokenRow = Awaited<ReturnType<ReturnType<typeof selectTokens>['executeTakeFirstOrThrow']>>;

/** Only tokens of active accounts can authenticate. */
function toCreator(row: TokenRow): ApiTokenView['maker'] {
  if (row.issued_to === null) return 'deleted';
  if (!row.maker_active) return 'inactive';
  return row.maker_is_owner || row.maker_role ? 'active' : 'not_a_member';
}

function toView(row: TokenRow): ApiTokenView {
  const secrets = (row.secrets ?? []).map(({ prefix, created_at, expires_at }) => ({
    prefix,
    created_at: new Date(created_at).toISOString(),
    expires_at: expires_at && new Date(expires_at).toISOString(),
  }));
  return {
    id: row.id,
    name: row.name,
    project: row.project_id,
    role: row.role,
    description: row.description,
    families: row.families && toFamilies(row.families),
    prefix: secrets[0]?.prefix ?? '',
    secrets,
    created_by: row.created_by,
    issued_to: row.issued_to,
    maker: toCreator(row),
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    last_used_ip: row.last_used_ip,
  };
}

export async function listTokens(db: Db, projectId: string, query: ListQuery & { q?: string | undefined }) {
  let select = selectTokens(db, projectId);
  if (query.q) select = select.where(matchesText(['api_tokens.name'], query.q));
  const { rows, next_cursor } = await executePage(select, parsePage(query, RULES));
  return { items: rows.map(toView), next_cursor };
}

/** Throws record.not_found, also for a token of another project. */
export async function findToken(db: Db, projectId: string, id: string): Promise<ApiTokenView> {
  const row = await selectTokens(db, projectId).where('api_tokens.id', '=', id).executeTakeFirst();
  if (!row) throw fail('record.not_found', { kind: 'API token', name: id });
  return toView(row);
}

/** Like `findToken`, with a lock against changes and rotations until the transaction ends. */
export async function lockToken(tx: Tx, projectId: string, id: string): Promise<ApiTokenView> {
  const locked = tx.selectFrom('api_tokens').select('id').where('project_id', '=', projectId).where('id', '=', id);
  await locked.forUpdate().execute();
  return findToken(tx, projectId, id);
}

export async function insertToken(tx: Tx, token: NewApiToken): Promise<void> {
  await naming(token.name, () =>
    tx
      .insertInto('api_tokens')
      .values({
        id: token.id,
        project_id: token.projectId,
        name: token.name,
        description: token.description,
        role: token.role,
        families: token.families && [...token.families],
        created_by: token.createdBy,
        created_at: token.createdAt,
        expires_at: token.expiresAt,
        last_used_ip: null,
      })
      .execute(),
  );
}

export interface TokenChanges {
  readonly name?: string;
  readonly description?: string | null;
  readonly families?: RouteFamily[] | null;
  readonly expires_at?: Date | null;
}

export async function updateToken(tx: Tx, token: ApiTokenView, changes: TokenChanges): Promise<void> {
  if (Object.keys(changes).length === 0) return;
  await naming(changes.name ?? token.name, () =>
    tx.updateTable('api_tokens').set(changes).where('id', '=', token.id).execute(),
  );
}

async function naming(name: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (uniqueViolationOf(error) === undefined) throw error;
    throw fail('record.exists', { kind: 'API token', name }, { cause: error });
  }
}

export async function deleteToken(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('api_tokens').where('id', '=', id).execute();
}

import type { ApiTokenView, Role, RouteFamily } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { Records, type RowOf, type SearchQuery } from '../../../platform/database/records.ts';
import { toFamilies } from '../../../platform/tokens/index.ts';

const TOKENS = new Records<TokenRow, ApiTokenView>({
  kind: 'API token',
  table: 'api_tokens',
  sortable: { name: 'api_tokens.name', created_at: 'api_tokens.created_at' },
  defaultSort: 'name',
  searched: ['api_tokens.name'],
  toView,
});

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

type TokenRow = RowOf<typeof selectTokens>;

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

export const listTokens = (db: Db, projectId: string, query: SearchQuery) =>
  TOKENS.list(selectTokens(db, projectId), query);

/** Throws record.not_found, also for a token of another project. */
export const findToken = (db: Db, projectId: string, id: string) => TOKENS.find(selectTokens(db, projectId), id);

/** Like `findToken`, with a lock against changes and rotations until the transaction ends. */
export const lockToken = (tx: Tx, projectId: string, id: string) => TOKENS.lock(selectTokens(tx, projectId), id);

export async function insertToken(tx: Tx, token: NewApiToken): Promise<void> {
  await TOKENS.refuseSameName(token.name, () =>
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
  await TOKENS.refuseSameName(changes.name ?? token.name, () =>
    tx.updateTable('api_tokens').set(changes).where('id', '=', token.id).execute(),
  );
}

export async function deleteToken(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('api_tokens').where('id', '=', id).execute();
}

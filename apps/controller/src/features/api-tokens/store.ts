import { type ApiTokenView, fail, type Role } from '@flotilla/contract';
import { type Db, type Tx, uniqueViolationOf } from '@flotilla/db';
import { executePage, type ListQuery, type ListRules, matchesText, parsePage } from '../../http/paging.ts';

const RULES: ListRules = {
  sortable: { name: 'api_tokens.name', created_at: 'api_tokens.created_at' },
  defaultSort: 'name',
  id: 'api_tokens.id',
};

export interface NewApiToken {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly role: Role;
  readonly prefix: string;
  readonly hash: Buffer;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

function selectTokens(db: Db, projectId: string) {
  return db
    .selectFrom('api_tokens')
    .leftJoin('users', 'users.id', 'api_tokens.created_by')
    .leftJoin('memberships', (join) =>
      join.onRef('memberships.user_id', '=', 'users.id').onRef('memberships.project_id', '=', 'api_tokens.project_id'),
    )
    .select([
      'api_tokens.id',
      'api_tokens.name',
      'api_tokens.project_id',
      'api_tokens.role',
      'api_tokens.prefix',
      'users.username as created_by',
      'users.active as maker_active',
      'users.is_owner as maker_is_owner',
      'memberships.role as maker_role',
      'api_tokens.created_at',
      'api_tokens.expires_at',
      'api_tokens.last_used_at',
    ])
    .where('api_tokens.project_id', '=', projectId);
}

type TokenRow = Awaited<ReturnType<ReturnType<typeof selectTokens>['executeTakeFirstOrThrow']>>;

/** Whoever authenticates API tokens takes those of active makers only. */
function toMaker(row: TokenRow): ApiTokenView['maker'] {
  if (row.created_by === null) return 'deleted';
  if (!row.maker_active) return 'inactive';
  return row.maker_is_owner || row.maker_role ? 'active' : 'not_a_member';
}

function toView(row: TokenRow): ApiTokenView {
  return {
    id: row.id,
    name: row.name,
    project: row.project_id,
    role: row.role,
    prefix: row.prefix,
    created_by: row.created_by,
    maker: toMaker(row),
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
  };
}

export async function listTokens(db: Db, projectId: string, query: ListQuery & { q?: string | undefined }) {
  let select = selectTokens(db, projectId);
  if (query.q) select = select.where(matchesText(['api_tokens.name'], query.q));
  const { rows, next_cursor } = await executePage(select, parsePage(query, RULES));
  return { items: rows.map(toView), next_cursor };
}

/** Throws record.not_found for a token of another project, as for one that never was. */
export async function findToken(db: Db, projectId: string, id: string): Promise<ApiTokenView> {
  const row = await selectTokens(db, projectId).where('api_tokens.id', '=', id).executeTakeFirst();
  if (!row) throw fail('record.not_found', { kind: 'API token', name: id });
  return toView(row);
}

export async function insertToken(tx: Tx, token: NewApiToken): Promise<void> {
  try {
    await tx
      .insertInto('api_tokens')
      .values({
        id: token.id,
        project_id: token.projectId,
        name: token.name,
        role: token.role,
        prefix: token.prefix,
        token_hash: token.hash,
        created_by: token.createdBy,
        created_at: token.createdAt,
        expires_at: token.expiresAt,
      })
      .execute();
  } catch (error) {
    if (uniqueViolationOf(error) === undefined) throw error;
    throw fail('record.exists', { kind: 'API token', name: token.name }, { cause: error });
  }
}

export async function deleteToken(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('api_tokens').where('id', '=', id).execute();
}

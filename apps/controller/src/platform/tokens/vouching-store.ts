import { ADMINS } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { type RawBuilder, type SqlBool, sql } from 'kysely';

/**
 * Whether the user who received the secret (`token_secrets` of the query) could create such a token now: their account
 * is active, still exists in its directory, and administers the project or owns the installation. False if the account
 * is gone.
 */
const isVouchedFor = sql<SqlBool>`exists (
  select from users maker
  left join memberships on memberships.user_id = maker.id and memberships.project_id = token_secrets.project_id
  where maker.id = token_secrets.issued_to and maker.active
    and (maker.is_owner or memberships.role = any(${[...ADMINS]}::text[]))
    and not exists (select from external_identities gone where gone.user_id = maker.id and gone.gone_at is not null))`;

/**
 * For `enrolment_tokens` of the query: whether such a user received one of its valid secrets; with `without`, only
 * users other than this id count.
 */
export function hasVouchedSecret(now: Date, { without }: { readonly without?: string } = {}): RawBuilder<boolean> {
  const isOthers = without === undefined ? sql`true` : sql`token_secrets.issued_to is distinct from ${without}::uuid`;
  return sql<boolean>`exists (
    select from token_secrets where token_secrets.token_id = enrolment_tokens.id and token_secrets.token_kind = 'enrolment'
      and ${isOthers} and (token_secrets.expires_at is null or token_secrets.expires_at > ${now}) and ${isVouchedFor})`;
}

export async function isSecretVouchedFor(tx: Tx, secretId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('token_secrets')
    .select('id')
    .where('id', '=', secretId)
    .where(isVouchedFor)
    .executeTakeFirst();
  return row !== undefined;
}

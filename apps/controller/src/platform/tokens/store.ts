import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { failIdentity, type TokenSecretView } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { createId, isSameSecret } from '@flotilla/kit';
import type { TokenSecretsTable } from './tables.ts';

export type TokenKind = TokenSecretsTable['token_kind'];

/** The token that a secret belongs to. */
interface TokenOf {
  readonly kind: TokenKind;
  readonly tokenId: string;
  readonly projectId: string;
}

export interface NewSecret extends TokenOf {
  /** The user whose rights the secret has, if it acts for a user. */
  readonly issuedTo: string | null;
  /** The complete secret that the holder presents. */
  readonly secret: string;
  /** The first characters of the token, for lists. */
  readonly prefix: string;
  readonly now: Date;
  /** For secrets that both sides sign with: encrypts the secret for the id of its row. */
  readonly encrypt?: (secretId: string) => Buffer;
}

/** Secrets are long and random, so a plain digest reveals nothing. */
export function digestSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export async function issueSecret(tx: Tx, fresh: NewSecret): Promise<void> {
  const { kind, tokenId, projectId, issuedTo, secret, prefix, now } = fresh;
  const id = createId(now.getTime());
  await tx
    .insertInto('token_secrets')
    .values({
      id,
      hash: digestSecret(secret),
      token_kind: kind,
      token_id: tokenId,
      project_id: projectId,
      issued_to: issuedTo,
      prefix,
      created_at: now,
      expires_at: null,
      sealed_secret: fresh.encrypt?.(id) ?? null,
    })
    .execute();
}

/**
 * Gives the token a new secret. The previous one stays valid for `overlapS` seconds, or ends at once if 0. At most two
 * are valid: throws token.overlap while an earlier rotation overlaps, unless this one ends all older secrets. The
 * caller holds a lock on the token.
 */
export async function rotateSecret(tx: Tx, fresh: NewSecret, overlapS: number): Promise<void> {
  const { tokenId, kind, now } = fresh;
  const ofToken = tx.deleteFrom('token_secrets').where('token_id', '=', tokenId).where('token_kind', '=', kind);
  if (overlapS === 0) {
    await ofToken.execute();
  } else {
    await ofToken.where('expires_at', '<=', now).execute();
    const last = await tx
      .selectFrom('token_secrets')
      .select('expires_at')
      .where('token_id', '=', tokenId)
      .where('expires_at', 'is not', null)
      .executeTakeFirst();
    if (last?.expires_at) throw failIdentity('token.overlap', { at: last.expires_at.toISOString() });
    await tx
      .updateTable('token_secrets')
      .set({ expires_at: new Date(now.getTime() + overlapS * 1000) })
      .where('token_id', '=', tokenId)
      .where('token_kind', '=', kind)
      .execute();
  }
  await issueSecret(tx, fresh);
}

/** Finds the token by an unexpired secret. Does not check the expiry of the token. */
export async function findBySecret(
  db: Db | Tx,
  kind: TokenKind,
  secret: string,
  now: Date = new Date(),
): Promise<(TokenOf & { readonly secretId: string }) | undefined> {
  const hash = digestSecret(secret);
  const row = await db
    .selectFrom('token_secrets')
    .select(['id', 'hash', 'token_id', 'project_id'])
    .where('hash', '=', hash)
    .where('token_kind', '=', kind)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirst();
  // The query used a digest that nobody can choose; the result is still compared in constant time.
  if (!row || !isSameSecret(row.hash, hash)) return undefined;
  return { kind, secretId: row.id, tokenId: row.token_id, projectId: row.project_id };
}

/** The user whose rights a secret has; null if the account is gone. */
export async function findHolder(db: Db, secretId: string): Promise<string | null> {
  const row = await db.selectFrom('token_secrets').select('issued_to').where('id', '=', secretId).executeTakeFirst();
  return row?.issued_to ?? null;
}

/** A secret as shown to its project, and the token it belongs to. */
interface ListedSecret {
  readonly id: string;
  readonly tokenId: string;
  readonly view: TokenSecretView;
}

/** The valid secrets of these tokens, newest first. */
export async function listSecrets(
  db: Db,
  { kind, tokenIds, now }: { readonly kind: TokenKind; readonly tokenIds: readonly string[]; readonly now: Date },
): Promise<ListedSecret[]> {
  if (tokenIds.length === 0) return [];
  const rows = await db
    .selectFrom('token_secrets')
    .select(['id', 'token_id', 'prefix', 'created_at', 'expires_at'])
    .where('token_kind', '=', kind)
    .where('token_id', 'in', tokenIds)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    // If two were created at the same time, the expiring one is the older.
    .orderBy('expires_at', (order) => order.desc().nullsFirst())
    .execute();
  return rows.map(({ id, token_id: tokenId, prefix, created_at, expires_at }) => ({
    id,
    tokenId,
    view: { prefix, created_at: created_at.toISOString(), expires_at: expires_at?.toISOString() ?? null },
  }));
}

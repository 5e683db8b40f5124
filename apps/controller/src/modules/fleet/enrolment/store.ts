import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import type { IssuedCertificate } from './x509.ts';

export interface StoredCertificate {
  readonly clientId: string;
  readonly projectId: string;
  readonly revokedAt: Date | null;
}

/** Claims the token for this key. undefined if it is not open any more; of two callers at once, one succeeds. */
export async function claimToken(
  tx: Tx,
  claim: { tokenId: string; keyDigest: Buffer; clientId: string; now: Date },
): Promise<{ id: string; projectId: string; labels: Readonly<Record<string, string>> } | undefined> {
  const row = await tx
    .updateTable('enrolment_tokens')
    .set({ used_at: claim.now, used_by_client: claim.clientId, used_key_digest: claim.keyDigest })
    .where('id', '=', claim.tokenId)
    .where('used_at', 'is', null)
    .where('expires_at', '>', claim.now)
    .returning(['id', 'project_id', 'labels'])
    .executeTakeFirst();
  return row && { id: row.id, projectId: row.project_id, labels: row.labels };
}

export function findToken(db: Db | Tx, id: string) {
  return db.selectFrom('enrolment_tokens').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function insertCertificate(
  tx: Tx,
  issued: IssuedCertificate,
  holder: { clientId: string; projectId: string; keyDigest: Buffer },
): Promise<void> {
  await tx
    .insertInto('client_certificates')
    .values({
      serial: issued.serial,
      client_id: holder.clientId,
      project_id: holder.projectId,
      key_digest: holder.keyDigest,
      issued_at: issued.issuedAt,
      expires_at: issued.expiresAt,
      revoke_reason: null,
    })
    .execute();
}

export async function findCertificate(
  db: Db | Tx,
  serial: string,
  { lock }: { lock: boolean },
): Promise<StoredCertificate | undefined> {
  const row = await db
    .selectFrom('client_certificates')
    .select(['client_id', 'project_id', 'revoked_at'])
    .where('serial', '=', serial)
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst();
  return row && { clientId: row.client_id, projectId: row.project_id, revokedAt: row.revoked_at };
}

/** Revokes all certificates of the client and returns how many were still valid. */
export async function revokeAll(tx: Tx, clientId: string, reason: string, now: Date): Promise<number> {
  // Waits for a running renewal, whose certificate the next statement then sees.
  await tx.selectFrom('client_certificates').select('serial').where('client_id', '=', clientId).forUpdate().execute();
  const result = await tx
    .updateTable('client_certificates')
    .set({ revoked_at: now, revoke_reason: reason })
    .where('client_id', '=', clientId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** Revoked serials that a peer could still present. */
export async function listRevoked(db: Db, expiringAfter: Date): Promise<string[]> {
  const rows = await db
    .selectFrom('client_certificates')
    .select('serial')
    .where('revoked_at', 'is not', null)
    .where('expires_at', '>', expiringAfter)
    .execute();
  return rows.map(({ serial }) => serial);
}

export interface HeldCertificate extends StoredCertificate {
  /** The project of the client that the certificate names; null: the client does not exist. */
  readonly currentProjectId: string | null;
}

/** By serial. */
export async function findHeldCertificates(db: Db, serials: readonly string[]): Promise<Map<string, HeldCertificate>> {
  const { rows } = await sql<HeldCertificate & { serial: string }>`
    select serial, client_id as "clientId", client_certificates.project_id as "projectId", revoked_at as "revokedAt",
      clients.project_id as "currentProjectId"
    from client_certificates left join clients on clients.id = client_certificates.client_id
    where serial = any(${[...serials]}::text[])`.execute(db);
  return new Map(rows.map(({ serial, ...row }) => [serial, row]));
}

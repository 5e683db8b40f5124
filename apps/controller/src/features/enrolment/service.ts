import { createHash } from 'node:crypto';
import { failEnrolment } from '@flotilla/contract';
import { type Db, publish, type Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { type fleet, parseEnrolmentToken } from '@flotilla/proto';
import { type AuditEntry, recordAudit } from '../audit/index.ts';
import { findBySecret } from '../tokens/index.ts';
import type { Authority } from './authority.ts';
import type { CertificateClaim } from './model.ts';
import { claimToken, findCertificate, findToken, insertCertificate, revokeAll } from './store.ts';
import { isSecretVouchedFor } from './vouching-store.ts';
import { readRequest } from './x509.ts';

/** What enrolment needs of the clients' feature. */
export interface ClientRegistry {
  /** Makes the client's record, in the transaction of its enrolment. */
  register(tx: Tx, client: { id: string; projectId: string; facts: fleet.HostFacts; now: Date }): Promise<void>;
  /** The project of a client that exists. */
  findProject(db: Db | Tx, clientId: string): Promise<string | undefined>;
}

export interface EnrolmentOptions {
  readonly db: Db;
  readonly authority: Authority;
  readonly clients: ClientRegistry;
  /** How long a client certificate is good for. */
  readonly lifetimeMs: number;
  /** How long after its end a certificate may still be renewed, and nothing else: for hosts that were off. */
  readonly renewalGraceMs: number;
}

/** Where a call came from, for the audit log. */
export type CallOrigin = NonNullable<AuditEntry['request']>;

export interface Enrolled {
  readonly clientId: string;
  readonly projectId: string;
  readonly certificateDer: Buffer;
}

/** NOTIFY topic: some client's certificates have been revoked. Listeners read the list anew. */
export const REVOKED_TOPIC = 'certificates.revoked';

/**
 * Lets hosts in and keeps their certificates fresh. A token goes open -> used (once, by the first claim that commits);
 * an open token past its time is expired. A used token answers the same key again with a new certificate for the same
 * client, because the host may have died before it stored the first; it never makes a second client. While its secret is
 * rotated it has two: they are one token, so that whichever is used, by two hosts at once too, it is used.
 *
 * A secret is worth what whoever was given it may do at that moment: it is void while they could make no such token.
 */
export class EnrolmentService {
  readonly #options: EnrolmentOptions;

  constructor(options: EnrolmentOptions) {
    this.#options = options;
  }

  /** Throws enrolment.* with nothing changed. */
  async enrol(
    request: { token: string; csrDer: Uint8Array; facts: fleet.HostFacts },
    origin: CallOrigin,
    now: Date,
  ): Promise<Enrolled> {
    const token = parseEnrolmentToken(request.token);
    if (!token) throw failEnrolment('enrolment.token_unknown');
    const publicKey = await readRequest(request.csrDer);
    const keyDigest = createHash('sha256').update(Buffer.from(publicKey.rawData)).digest();
    return this.#options.db.transaction().execute(async (tx) => {
      const findHeld = () => findBySecret(tx, 'enrolment', token.secret, now);
      const found = await findHeld();
      if (!found) throw failEnrolment('enrolment.token_unknown');
      if (!(await isSecretVouchedFor(tx, found.secretId))) throw failEnrolment('enrolment.token_void');
      const newClientId = createId(now.getTime());
      const claimed = await claimToken(tx, { tokenId: found.tokenId, keyDigest, clientId: newClientId, now });
      const client = claimed
        ? { clientId: newClientId, projectId: claimed.projectId }
        : await this.#findEarlierClaim(tx, { tokenId: found.tokenId, keyDigest, now });
      // A rotation that this has waited for may have ended the secret.
      if (claimed && !(await findHeld())) throw failEnrolment('enrolment.token_unknown');
      if (claimed) {
        const { id: tokenId, projectId } = claimed;
        await this.#options.clients.register(tx, { id: newClientId, projectId, facts: request.facts, now });
        await recordAudit(tx, {
          ...this.#auditBase('client.enrol', client, origin, now),
          subject: { type: 'client', id: newClientId, name: request.facts.name, changes: { token_id: tokenId } },
        });
      }
      const certificateDer = await this.#issue(tx, { ...client, publicKey, keyDigest }, now);
      return { ...client, certificateDer };
    });
  }

  /** `claim` has been checked with `checkPeer`. */
  async renew(claim: CertificateClaim, csrDer: Uint8Array, origin: CallOrigin, now: Date): Promise<Buffer> {
    const publicKey = await readRequest(csrDer);
    const keyDigest = createHash('sha256').update(Buffer.from(publicKey.rawData)).digest();
    return this.#options.db.transaction().execute(async (tx) => {
      // Locked against a revocation that runs at the same time: it would miss the certificate made here.
      await this.#checkClaim(tx, claim, { lock: true });
      await recordAudit(tx, this.#auditBase('client.renew', claim, origin, now));
      return this.#issue(tx, { ...claim, publicKey, keyDigest }, now);
    });
  }

  /** Throws certificate.* unless the certificate stands and its client exists in its project. */
  async checkPeer(claim: CertificateClaim): Promise<void> {
    await this.#checkClaim(this.#options.db, claim, { lock: false });
  }

  /** Whether a certificate of ours that has ended may still be exchanged for a new one. */
  isWithinGrace(claim: CertificateClaim, now: Date): boolean {
    return now.getTime() - claim.expiresAt.getTime() <= this.#options.renewalGraceMs;
  }

  async #checkClaim(db: Db | Tx, claim: CertificateClaim, { lock }: { lock: boolean }): Promise<void> {
    const unknown = () => failEnrolment('certificate.client_unknown', { client: claim.clientId });
    const stored = await findCertificate(db, claim.serial, { lock });
    if (!stored || stored.clientId !== claim.clientId || stored.projectId !== claim.projectId) throw unknown();
    if (stored.revokedAt !== null) throw failEnrolment('certificate.revoked');
    if ((await this.#options.clients.findProject(db, claim.clientId)) !== claim.projectId) throw unknown();
  }

  async #findEarlierClaim(
    tx: Tx,
    { tokenId, keyDigest, now }: { tokenId: string; keyDigest: Buffer; now: Date },
  ): Promise<{ clientId: string; projectId: string }> {
    const token = await findToken(tx, tokenId);
    if (!token) throw failEnrolment('enrolment.token_unknown');
    if (token.expires_at <= now) throw failEnrolment('enrolment.token_expired', { at: token.expires_at.toISOString() });
    const clientId = token.used_by_client;
    const isSameHost = token.used_key_digest?.equals(keyDigest) === true;
    if (!clientId || !isSameHost) throw failEnrolment('enrolment.token_used');
    const projectId = await this.#options.clients.findProject(tx, clientId);
    if (projectId !== token.project_id) throw failEnrolment('enrolment.token_used');
    return { clientId, projectId };
  }

  async #issue(
    tx: Tx,
    holder: {
      clientId: string;
      projectId: string;
      publicKey: Awaited<ReturnType<typeof readRequest>>;
      keyDigest: Buffer;
    },
    now: Date,
  ): Promise<Buffer> {
    const issued = await this.#options.authority.issueClient(holder, { now, lifetimeMs: this.#options.lifetimeMs });
    await insertCertificate(tx, issued, holder);
    return issued.der;
  }

  #auditBase(
    action: string,
    { clientId, projectId }: { clientId: string; projectId: string },
    origin: CallOrigin,
    now: Date,
  ): AuditEntry {
    return {
      at: now,
      actor: { kind: 'client', id: clientId, name: clientId },
      actorRole: undefined,
      projectId,
      action,
      outcome: 'done',
      status: 200,
      subject: { type: 'client', id: clientId },
      request: origin,
    };
  }
}

/**
 * Makes every certificate of the client worthless, at once and for good: when the transaction commits, its streams are
 * cut by every controller.
 */
export async function revokeClient(tx: Tx, clientId: string, reason: string, now: Date): Promise<void> {
  const count = await revokeAll(tx, clientId, reason, now);
  if (count > 0) await publish(tx, REVOKED_TOPIC, { client_id: clientId }, now);
}

import { createHash } from 'node:crypto';
import { failEnrolment } from '@flotilla/contract';
import { type Db, publish, type Tx } from '@flotilla/db';
import { Batches, createId } from '@flotilla/kit';
import { type fleet, parseEnrolmentToken } from '@flotilla/proto';
import { type AuditEntry, recordAudit } from '../../../platform/audit/index.ts';
import type { CertificateClaim } from '../../../platform/streams/client-certificate.ts';
import type { CallOrigin, Enrolled, EnrolmentPort } from '../../../platform/streams/enrolment-port.ts';
import { findBySecret } from '../../../platform/tokens/index.ts';
import { isSecretVouchedFor } from '../../../platform/tokens/vouching-store.ts';
import type { Authority } from './authority.ts';
import {
  claimToken,
  findCertificate,
  findHeldCertificates,
  findToken,
  type HeldCertificate,
  insertCertificate,
  revokeAll,
} from './store.ts';
import { readRequest } from './x509.ts';

/** The part of the clients feature that enrolment uses. */
export interface ClientRegistry {
  /** Creates the client's record in the transaction of its enrolment. */
  register(
    tx: Tx,
    client: {
      id: string;
      projectId: string;
      facts: fleet.HostFacts;
      labels: Readonly<Record<string, string>>;
      now: Date;
    },
  ): Promise<void>;
  /** The project of an existing client. */
  findProject(db: Db | Tx, clientId: string): Promise<string | undefined>;
}

export interface EnrolmentOptions {
  readonly db: Db;
  readonly authority: Authority;
  readonly clients: ClientRegistry;
  /** Lifetime of a client certificate. */
  readonly lifetimeMs: number;
  /** How long after its expiry a certificate may still be renewed, and nothing else: for hosts that were off. */
  readonly renewalGraceMs: number;
}

/** Certificates of peers that are checked with one statement. */
const CHECKS_MAX = 500;

/** NOTIFY topic: certificates of a client were revoked. Listeners read the list again. */
export const REVOKED_TOPIC = 'certificates.revoked';

/**
 * Enrols hosts and renews their certificates. A token goes from open to used (once, by the first claim that commits);
 * an open token past its expiry is expired. A used token gives the same key another certificate for the same client,
 * because the host may have died before it stored the first; it never creates a second client. During a rotation a
 * token has two secrets, but it is still one token: using either, even by two hosts at once, uses it up. A secret is
 * void while the user who received it could not create such a token.
 */
export class EnrolmentService implements EnrolmentPort {
  readonly #options: EnrolmentOptions;
  /** Many agents connect at once after a controller has started. */
  readonly #checks: Batches<string, HeldCertificate | undefined>;

  constructor(options: EnrolmentOptions) {
    this.#options = options;
    this.#checks = new Batches({
      max: CHECKS_MAX,
      run: async (serials) => {
        const found = await findHeldCertificates(options.db, serials);
        return serials.map((serial) => found.get(serial));
      },
    });
  }

  /** Throws enrolment.* without changing anything. */
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
      // A rotation that finished while this waited may have ended the secret.
      if (claimed && !(await findHeld())) throw failEnrolment('enrolment.token_unknown');
      if (claimed) {
        const { id: tokenId, projectId, labels } = claimed;
        await this.#options.clients.register(tx, { id: newClientId, projectId, facts: request.facts, labels, now });
        await recordAudit(tx, {
          ...this.#auditBase('client.enrol', client, origin, now),
          subject: { type: 'client', id: newClientId, name: request.facts.name, changes: { token_id: tokenId } },
        });
      }
      const certificateDer = await this.#issue(tx, { ...client, publicKey, keyDigest }, now);
      return { ...client, certificateDer };
    });
  }

  /** The caller has checked `claim` with `checkPeer`. */
  async renew(claim: CertificateClaim, csrDer: Uint8Array, origin: CallOrigin, now: Date): Promise<Buffer> {
    const publicKey = await readRequest(csrDer);
    const keyDigest = createHash('sha256').update(Buffer.from(publicKey.rawData)).digest();
    return this.#options.db.transaction().execute(async (tx) => {
      // Locks against a concurrent revocation, which would miss the new certificate.
      const stored = await findCertificate(tx, claim.serial, { lock: true });
      const currentProjectId = (await this.#options.clients.findProject(tx, claim.clientId)) ?? null;
      requireHolder(claim, stored && { ...stored, currentProjectId });
      await recordAudit(tx, this.#auditBase('client.renew', claim, origin, now));
      return this.#issue(tx, { ...claim, publicKey, keyDigest }, now);
    });
  }

  /** Throws certificate.* unless the certificate is valid and its client exists in its project. */
  async checkPeer(claim: CertificateClaim): Promise<void> {
    requireHolder(claim, await this.#checks.add(claim.serial));
  }

  /** Whether an expired certificate of ours may still be renewed. */
  isWithinGrace(claim: CertificateClaim, now: Date): boolean {
    return now.getTime() - claim.expiresAt.getTime() <= this.#options.renewalGraceMs;
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

/** Throws certificate.* unless the stored certificate is valid for the client and project of the claim. */
function requireHolder(claim: CertificateClaim, stored: HeldCertificate | undefined): void {
  const unknown = () => failEnrolment('certificate.client_unknown', { client: claim.clientId });
  if (!stored || stored.clientId !== claim.clientId || stored.projectId !== claim.projectId) throw unknown();
  if (stored.revokedAt !== null) throw failEnrolment('certificate.revoked');
  if (stored.currentProjectId !== claim.projectId) throw unknown();
}

/** Revokes every certificate of the client: when the transaction commits, every controller ends its streams. */
export async function revokeClient(tx: Tx, clientId: string, reason: string, now: Date): Promise<void> {
  const count = await revokeAll(tx, clientId, reason, now);
  if (count > 0) await publish(tx, REVOKED_TOPIC, { client_id: clientId }, now);
}

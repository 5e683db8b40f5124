import { randomBytes } from 'node:crypto';
import { fail, failIdentity } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { isSignatureInTime, isSignatureOf, parseSignature, SIGNATURE_WINDOW_S, type SignedParts } from '@flotilla/kit';
import { type Keyring, sealContexts } from '../keyring/index.ts';
import { findZoneKey } from './zone-store.ts';

/** Whom a signed request comes from: a DNS server of a zone of a project. */
export interface ZoneActor {
  readonly zone: string;
  readonly projectId: string;
  readonly keyId: string;
}

/** What stands in for the secret of a key that is not there, so that it takes as long as one that is. */
const NOBODY = randomBytes(32).toString('base64url');

/**
 * Whoever signed the request, by the secret that its signature names. Throws auth.missing without a signature, auth.invalid
 * for one that no secret of ours has made, and signature.time for one of ours that is too old or ahead: only whoever has
 * the secret learns that it was the clock. A request that somebody saw can be sent again within the window: routes that
 * take signatures only read, or do the same a second time.
 *
 * `db` in the scope of everything: the signature says in which project it is.
 */
export async function verifyZoneSignature(
  deps: { readonly db: Db; readonly keyring: Pick<Keyring, 'unseal'> },
  parts: SignedParts & { readonly authorization: string | undefined },
  now: Date,
): Promise<ZoneActor> {
  if (parts.authorization === undefined) throw fail('auth.missing');
  const signature = parseSignature(parts.authorization);
  if (!signature) throw fail('auth.invalid');
  const { keyId } = signature;
  const key = await findZoneKey(deps.db, keyId, now);
  const secret = key ? deps.keyring.unseal(key.sealed, sealContexts.tokenSecret(keyId)).toString() : NOBODY;
  if (!isSignatureOf(signature, parts, secret) || !key) throw fail('auth.invalid');
  if (!isSignatureInTime(signature, now)) {
    throw failIdentity('signature.time', {
      signed: new Date(signature.time * 1000).toISOString(),
      now: now.toISOString(),
      window: SIGNATURE_WINDOW_S,
    });
  }
  return { zone: key.zone, projectId: key.projectId, keyId };
}

import { randomBytes } from 'node:crypto';
import { fail, failIdentity } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { isSignatureInTime, isSignatureOf, parseSignature, SIGNATURE_WINDOW_S, type SignedParts } from '@flotilla/kit';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { tokenSecretContext } from '../../../platform/tokens/index.ts';
import { findZoneKey } from './zone-store.ts';

/** The signer of a request: a DNS server of a project's zone. */
export interface ZoneActor {
  readonly zone: string;
  readonly projectId: string;
  readonly keyId: string;
}

/** Replaces the secret of an unknown key, so that both cases take the same time. */
const NOBODY = randomBytes(32).toString('base64url');

/**
 * Verifies a signed request. Throws auth.missing without a signature, auth.invalid for a wrong one, and signature.time
 * for a correct one that is too old or too far ahead, so that only the holder of the secret learns about the clock. A
 * captured request can be replayed within the time window: routes with signatures may only read or be idempotent. `db`
 * must have the scope of everything: the signature names the project.
 */
export async function verifyZoneSignature(
  deps: { readonly db: Db; readonly keyring: Pick<Keyring, 'decrypt'> },
  parts: SignedParts & { readonly authorization: string | undefined },
  now: Date,
): Promise<ZoneActor> {
  if (parts.authorization === undefined) throw fail('auth.missing');
  const signature = parseSignature(parts.authorization);
  if (!signature) throw fail('auth.invalid');
  const { keyId } = signature;
  const key = await findZoneKey(deps.db, keyId, now);
  const secret = key ? deps.keyring.decrypt(key.sealed, tokenSecretContext(keyId)).toString() : NOBODY;
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

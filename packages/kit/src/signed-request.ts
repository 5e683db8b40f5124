import { Buffer } from 'node:buffer';
import { createHash, createHmac } from 'node:crypto';
import { isSameSecret } from './same-secret.ts';

/** Scheme of the Authorization header (RFC 9110 section 11.6.2) of requests that are signed with a shared secret. */
const SCHEME = 'FLOTILLA-HMAC-SHA256';

/** A signature is taken this long before and after the time that it names. */
export const SIGNATURE_WINDOW_S = 120;

/** What a signature holds for. A proxy in between may change the host and other headers, so they are no part of it. */
export interface SignedParts {
  readonly method: string;
  /** Path and query, byte for byte as they stand in the request line. */
  readonly target: string;
  readonly body: Uint8Array;
}

export interface RequestSignature {
  /** Names the secret; a UUID. */
  readonly keyId: string;
  /** When it was signed, in seconds since 1970. */
  readonly time: number;
  /** HMAC-SHA256, 32 bytes. */
  readonly mac: Uint8Array;
}

const FORM =
  /^FLOTILLA-HMAC-SHA256 key=([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}), time=(0|[1-9]\d{0,11}), signature=([0-9a-f]{64})$/;

/** The Authorization header of a request, by a secret that both sides know. */
export function signRequest(parts: SignedParts, key: { id: string; secret: string }, now: Date): string {
  const time = Math.floor(now.getTime() / 1000);
  const mac = digest(parts, { keyId: key.id, time, secret: key.secret });
  return `${SCHEME} key=${key.id}, time=${time}, signature=${mac.toString('hex')}`;
}

/** Undefined for what is not written exactly so: there is one spelling of each signature. */
export function parseSignature(header: string | undefined): RequestSignature | undefined {
  const [, keyId, time, mac] = FORM.exec(header ?? '') ?? [];
  if (keyId === undefined || time === undefined || mac === undefined) return undefined;
  return { keyId, time: Number(time), mac: Buffer.from(mac, 'hex') };
}

/** Whether it was made with the secret, for this very request. Says nothing of its time. */
export function isSignatureOf({ keyId, time, mac }: RequestSignature, parts: SignedParts, secret: string): boolean {
  return isSameSecret(digest(parts, { keyId, time, secret }), mac);
}

/** Whether the time that it names lies within the window around `now`. */
export function isSignatureInTime({ time }: RequestSignature, now: Date): boolean {
  return Math.abs(now.getTime() - time * 1000) <= SIGNATURE_WINDOW_S * 1000;
}

/** Every part has a line or a fixed length of its own, so that no two requests are written alike. */
function digest({ method, target, body }: SignedParts, by: { keyId: string; time: number; secret: string }): Buffer {
  const bodyDigest = createHash('sha256').update(body).digest('hex');
  const text = [SCHEME, by.keyId, by.time, method, target, bodyDigest].join('\n');
  return createHmac('sha256', by.secret).update(text).digest();
}

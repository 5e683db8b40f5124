import { Buffer } from 'node:buffer';
import { createHash, createHmac } from 'node:crypto';
import { isSameSecret } from './same-secret.ts';

/** Scheme of the Authorization header (RFC 9110 section 11.6.2) of requests that are signed with a shared secret. */
const SCHEME = 'FLOTILLA-HMAC-SHA256';

/** A signature is accepted this long before and after its own time. */
export const SIGNATURE_WINDOW_S = 120;

/** The signed parts of a request. The host and other headers are not signed, because a proxy may change them. */
export interface SignedParts {
  readonly method: string;
  /** Path and query, byte for byte as in the request line. */
  readonly target: string;
  readonly body: Uint8Array;
}

export interface RequestSignature {
  /** Identifies the secret; a UUID. */
  readonly keyId: string;
  /** Time of signing, in seconds since 1970. */
  readonly time: number;
  /** HMAC-SHA256, 32 bytes. */
  readonly mac: Uint8Array;
}

const FORM =
  /^FLOTILLA-HMAC-SHA256 key=([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}), time=(0|[1-9]\d{0,11}), signature=([0-9a-f]{64})$/;

/** Returns the value of the Authorization header. */
export function signRequest(parts: SignedParts, key: { id: string; secret: string }, now: Date): string {
  const time = Math.floor(now.getTime() / 1000);
  const mac = digest(parts, { keyId: key.id, time, secret: key.secret });
  return `${SCHEME} key=${key.id}, time=${time}, signature=${mac.toString('hex')}`;
}

/** Undefined for any other spelling: each signature has exactly one. */
export function parseSignature(header: string | undefined): RequestSignature | undefined {
  const [, keyId, time, mac] = FORM.exec(header ?? '') ?? [];
  if (keyId === undefined || time === undefined || mac === undefined) return undefined;
  return { keyId, time: Number(time), mac: Buffer.from(mac, 'hex') };
}

/** Whether the signature was made with the secret for this request. Does not check its time. */
export function isSignatureOf({ keyId, time, mac }: RequestSignature, parts: SignedParts, secret: string): boolean {
  return isSameSecret(digest(parts, { keyId, time, secret }), mac);
}

/** Whether the time of the signature is within the window around `now`. */
export function isSignatureInTime({ time }: RequestSignature, now: Date): boolean {
  return Math.abs(now.getTime() - time * 1000) <= SIGNATURE_WINDOW_S * 1000;
}

/** Every part has its own line or a fixed length, so two different requests never give the same text. */
function digest({ method, target, body }: SignedParts, by: { keyId: string; time: number; secret: string }): Buffer {
  const bodyDigest = createHash('sha256').update(body).digest('hex');
  const text = [SCHEME, by.keyId, by.time, method, target, bodyDigest].join('\n');
  return createHmac('sha256', by.secret).update(text).digest();
}

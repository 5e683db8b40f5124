/** The claims of an unverified JWT that are read. */
export interface JwtFacts {
  readonly subject: string;
  /** Seconds from `iat` to `exp`; 0: not known. */
  readonly lifetimeS: number;
}

/** A payload above this is not decoded: claims of real tokens are smaller. */
const PAYLOAD_MAX = 8 * 1024;
const LIFETIME_MAX_S = 2 ** 32 - 1;
const SHAPE = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** Undefined: not a JWT (RFC 7519). The signature is not verified: the edge that accepts the token does that. */
export function readJwt(token: string): JwtFacts | undefined {
  if (!token.startsWith('eyJ')) return undefined;
  const first = token.indexOf('.');
  const second = token.indexOf('.', first + 1);
  if (first === -1 || second === -1 || !SHAPE.test(token)) return undefined;
  if (second - first > PAYLOAD_MAX) return { subject: '', lifetimeS: 0 };
  const claims = parseClaims(token.slice(first + 1, second));
  if (claims === undefined) return undefined;
  const { sub, iat, exp } = claims;
  const subject = typeof sub === 'string' ? sub : typeof sub === 'number' ? String(sub) : '';
  const lifetime = typeof iat === 'number' && typeof exp === 'number' ? Math.floor(exp - iat) : 0;
  return { subject, lifetimeS: lifetime > 0 && lifetime <= LIFETIME_MAX_S ? lifetime : 0 };
}

function parseClaims(payload: string): Partial<Record<'sub' | 'iat' | 'exp', unknown>> | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return typeof claims === 'object' && claims !== null && !Array.isArray(claims) ? claims : undefined;
  } catch {
    return undefined;
  }
}

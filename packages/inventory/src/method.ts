const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'CONNECT', 'TRACE'] as const;

/** `OTHER` holds every method that the specification does not list. */
export type Method = (typeof METHODS)[number] | 'OTHER';

const KNOWN: ReadonlySet<string> = new Set(METHODS);

/** Methods are case-sensitive (RFC 9110 section 9.1): `get` is not `GET`. */
export function normalizeMethod(method: string): Method {
  return KNOWN.has(method) ? (method as Method) : 'OTHER';
}

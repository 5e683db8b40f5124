import { type ApiTokenView, failIdentity, type RouteFamily } from '@flotilla/contract';

/** What a token may be narrowed to. Undefined: left as it is. */
export interface Narrowing {
  readonly families?: readonly RouteFamily[] | null | undefined;
  readonly expires_at?: string | null | undefined;
}

/** Throws token.wider where the token could do more than before, or longer; token.expiry_past for an end that lies behind. */
export function requireNarrower(token: ApiTokenView, { families, expires_at }: Narrowing, now: Date): void {
  if (families !== undefined && !isSubset(families, token.families)) {
    throw failIdentity('token.wider', { field: 'families' });
  }
  if (expires_at === undefined) return;
  const [before, after] = [token.expires_at, expires_at].map((at) => (at === null ? Infinity : Date.parse(at)));
  if (Number(after) > Number(before)) throw failIdentity('token.wider', { field: 'expires_at' });
  if (Number(after) <= now.getTime()) throw failIdentity('token.expiry_past');
}

function isSubset(of: readonly RouteFamily[] | null, all: readonly RouteFamily[] | null): boolean {
  if (all === null) return true;
  return of?.every((family) => all.includes(family)) === true;
}

import { type ApiTokenView, failIdentity, type RouteFamily } from '@flotilla/contract';

/** The restrictions that may be added to a token. undefined: unchanged. */
export interface Narrowing {
  readonly families?: readonly RouteFamily[] | null | undefined;
  readonly expires_at?: string | null | undefined;
}

/** Throws token.wider if the token would gain rights or time, and token.expiry_past for an expiry in the past. */
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

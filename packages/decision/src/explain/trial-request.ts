import { findAuthority } from '@flotilla/policy';

/**
 * A request that nobody sent: somebody wants to know what would become of it. Plain JSON; `parseTrialRequest` reads one
 * from outside.
 */
export interface TrialRequest {
  readonly method: string;
  /** Absolute (`https://api.example.com/v1?x=1`), or a path with its query; then `host` or a header names the host. */
  readonly url: string;
  /** Wins over the host of `url` and over the headers `:authority` and `host`. */
  readonly host?: string;
  /** In the order of arrival; a name may come several times. Names in any case. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** As sent, content codings still on. At most one of `body` (text, sent as UTF-8) and `body_base64` (bytes). */
  readonly body?: string;
  readonly body_base64?: string;
  /** The client's address, taken as it is. Without it the address is derived from `peer` and `x-forwarded-for`. */
  readonly source_ip?: string;
  /** The address of the proxy's own peer, `ip` or `ip:port`. A proxy appends it to `x-forwarded-for`. */
  readonly peer?: string;
  /** Trusted proxies in front of the proxy; 0 unless given. */
  readonly trusted_hops?: number;
}

/** Bounds of a trial request that comes from outside. */
export const TRIAL_URL_MAX_CHARS = 64 * 1024;
export const TRIAL_HEADERS_MAX = 500;
export const TRIAL_HEADERS_MAX_CHARS = 256 * 1024;
export const TRIAL_BODY_MAX_BYTES = 8 * 1024 * 1024;

/** Whether a URL is absolute, a path, or the server itself (`*`). `host/path` would be read as a path of no host. */
export function isTrialTarget(url: string): boolean {
  return url.startsWith('/') || url === '*' || findAuthority(url) !== undefined;
}

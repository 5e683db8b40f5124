import { findAuthority } from '@flotilla/policy';

/** A hypothetical request. Plain JSON; `parseTrialRequest` parses one from outside. */
export interface TrialRequest {
  readonly method: string;
  /** Absolute (`https://api.example.com/v1?x=1`), or a path with its query; then `host` or a header gives the host. */
  readonly url: string;
  /** Overrides the host of `url` and the headers `:authority` and `host`. */
  readonly host?: string;
  /** In order of arrival; a name may occur several times, in any case. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** As sent, still coded. At most one of `body` (text, sent as UTF-8) and `body_base64` (bytes) may be set. */
  readonly body?: string;
  readonly body_base64?: string;
  /** The client's address. If absent, it is derived from `peer` and `x-forwarded-for`. */
  readonly source_ip?: string;
  /** The address of the proxy's own peer, `ip` or `ip:port`. A proxy appends it to `x-forwarded-for`. */
  readonly peer?: string;
  /** Number of trusted proxies in front of the proxy. Default: 0. */
  readonly trusted_hops?: number;
}

/** Limits for a trial request from outside. */
export const TRIAL_URL_MAX_CHARS = 64 * 1024;
export const TRIAL_HEADERS_MAX = 500;
export const TRIAL_HEADERS_MAX_CHARS = 256 * 1024;
export const TRIAL_BODY_MAX_BYTES = 8 * 1024 * 1024;

/**
 * Whether a URL is absolute, a path, or the server itself (`*`). Rejects `host/path`, which would be taken for a path
 * without a host.
 */
export function isTrialTarget(url: string): boolean {
  return url.startsWith('/') || url === '*' || findAuthority(url) !== undefined;
}

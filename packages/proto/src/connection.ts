/** The DNS name in every controller's server certificate, whatever address agents connect to. */
export const CONTROLLER_TLS_NAME = 'controller.flotilla.internal';

/** Trailer of a refused call with our stable error code, in addition to the gRPC status. */
export const ERROR_CODE_TRAILER = 'flotilla-code';

/** Trailer of a call that was put off: after how many milliseconds the caller should try again. */
export const RETRY_TRAILER = 'flotilla-retry-ms';

/** An enrolment token is `flte_<secret>.<fingerprint>`, each base64url of 32 bytes. */
const TOKEN_PATTERN = /^flte_([\w-]{43})\.([\w-]{43})$/;

export interface EnrolmentTokenParts {
  readonly secret: string;
  /** SHA-256 of the authority's certificate, which the agent checks before it sends the secret. */
  readonly fingerprint: string;
}

export function formatEnrolmentToken({ secret, fingerprint }: EnrolmentTokenParts): string {
  return `flte_${secret}.${fingerprint}`;
}

export function parseEnrolmentToken(text: string): EnrolmentTokenParts | undefined {
  const [, secret, fingerprint] = TOKEN_PATTERN.exec(text) ?? [];
  return secret && fingerprint ? { secret, fingerprint } : undefined;
}

import * as z from 'zod';
import type { EngineReason } from './engines/index.ts';

/** Names of a challenge are quoted text in a header (RFC 9110 section 5.6.4): printable ASCII without `"` and `\`. */
const REALM = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;

export const blockResponseSchema = z.strictObject({
  format: z.enum(['text', 'problem_json']).optional(),
  unauthorized_status: z
    .int()
    .min(401)
    .max(403)
    .refine((status) => status !== 402, 'must be 401 or 403')
    .optional(),
  realm: z.string().min(1).max(128).regex(REALM).optional(),
});

/** What a blocked client is answered with, where that is not the plain 403 of the specification. */
export interface BlockResponse {
  /** `problem_json`: a problem document (RFC 9457) with the request's id in place of a line of text. */
  readonly format: 'text' | 'problem_json';
  /** Status of a missing or wrong credential. With 401 goes a challenge (RFC 9110 section 11.6.1). */
  readonly unauthorizedStatus: 401 | 403;
  /** Of the challenge; may stand between quotes as it is. */
  readonly realm: string;
}

const REALM_DEFAULT = 'restricted';

/** Undefined where nothing differs from what the specification says, so that such answers cost nothing more. */
export function toBlockResponse(written: z.infer<typeof blockResponseSchema> | undefined): BlockResponse | undefined {
  const { format = 'text', unauthorized_status, realm = REALM_DEFAULT } = written ?? {};
  const unauthorizedStatus = unauthorized_status === 401 ? 401 : 403;
  return format === 'text' && unauthorizedStatus === 403 ? undefined : { format, unauthorizedStatus, realm };
}

/**
 * The authentication scheme that a client failed at, by the reason of its block; undefined for every other block. A key out
 * of its time counts like one that nobody knows: another status would tell that it was good once. A credential that is good
 * but not good enough (a scope, a claim) is no matter of authentication.
 */
export function challengeSchemeOf(reason: EngineReason): 'ApiKey' | 'Bearer' | undefined {
  switch (reason) {
    case 'apikey.missing':
    case 'apikey.unknown':
    case 'apikey.expired':
      return 'ApiKey';
    case 'jwt.missing':
    case 'jwt.invalid':
    case 'jwt.age':
    case 'jwt.type':
      return 'Bearer';
    default:
      return undefined;
  }
}

import * as z from 'zod';
import type { EngineReason } from './engines/index.ts';

/** The realm is a quoted string in a header (RFC 9110 section 5.6.4): printable ASCII without `"` and `\`. */
const REALM = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;

const REALM_DEFAULT = 'restricted';

export const blockResponseSchema = z
  .strictObject({
    format: z.enum(['text', 'problem_json']).optional().meta({
      title: 'BlockFormat',
      description: 'A line of text, or a problem document (RFC 9457) with the request ID',
      default: 'text',
    }),
    unauthorized_status: z
      .int()
      .min(401)
      .max(403)
      .refine((status) => status !== 402, 'must be 401 or 403')
      .optional()
      .meta({
        description: 'Status for a missing or wrong key or token: 403, or 401 with a challenge',
        default: 403,
      }),
    realm: z
      .string()
      .min(1)
      .max(128)
      .regex(REALM)
      .optional()
      .meta({ description: 'Realm in the challenge of a 401 response', default: REALM_DEFAULT }),
  })
  .meta({
    title: 'BlockResponse',
    description: 'Response to blocked requests; completely replaces the inherited one',
  });

/** The response to a blocked client, if it is not the plain 403 of the specification. */
export interface BlockResponse {
  /** `problem_json`: a problem document (RFC 9457) with the request's id instead of a line of text. */
  readonly format: 'text' | 'problem_json';
  /** Status for a missing or wrong credential. 401 comes with a challenge (RFC 9110 section 11.6.1). */
  readonly unauthorizedStatus: 401 | 403;
  /** Realm of the challenge; needs no escaping inside quotes. */
  readonly realm: string;
}

/** Undefined if nothing differs from the specification, so that the default response costs nothing extra. */
export function toBlockResponse(written: z.infer<typeof blockResponseSchema> | undefined): BlockResponse | undefined {
  const { format = 'text', unauthorized_status, realm = REALM_DEFAULT } = written ?? {};
  const unauthorizedStatus = unauthorized_status === 401 ? 401 : 403;
  return format === 'text' && unauthorizedStatus === 403 ? undefined : { format, unauthorizedStatus, realm };
}

/**
 * The authentication scheme that a client failed, by the reason of its block; undefined for every other block. An
 * expired key counts like an unknown one: another status would reveal that it was valid once. A credential that is
 * valid but insufficient (a scope, a claim) is not an authentication failure.
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

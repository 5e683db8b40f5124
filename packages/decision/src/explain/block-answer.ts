import type { BlockVerdict } from '@flotilla/engines';
import { type BlockResponse, challengeSchemeOf } from '@flotilla/policy';
import type { ExplainedAnswer } from './explanation.ts';

/** The parts of a block response beyond the default plain text. */
export interface BlockTelling {
  readonly response: BlockResponse | undefined;
  /** Copied verbatim into a problem document: see `isTellableRequestId`. Empty if unknown. */
  readonly requestId: string;
}

const PLAIN: BlockTelling = { response: undefined, requestId: '' };

const TITLES: { readonly [S in BlockVerdict['status']]: string } = {
  401: 'Unauthorized',
  403: 'Forbidden',
  429: 'Too Many Requests',
};

/** Describes the response to a blocked client. It omits the reason, which goes to Envoy's access log and to findings. */
export function describeBlock(
  { status, reason, retryAfterSeconds }: BlockVerdict,
  { response, requestId }: BlockTelling = PLAIN,
): ExplainedAnswer {
  const headers: [string, string][] = [['x-svc-shield', 'blocked']];
  if (retryAfterSeconds !== undefined) headers.push(['retry-after', String(retryAfterSeconds)]);
  // A 401 must have a challenge (RFC 9110 section 15.5.2). Bearer's needs a parameter, and an error code would reveal
  // the reason (RFC 6750 section 3).
  if (status === 401) headers.push(['www-authenticate', `${challengeSchemeOf(reason)} realm="${response?.realm}"`]);
  const text = status === 429 ? 'Too many requests.' : 'Request blocked.';
  if (response?.format !== 'problem_json') return { status, headers, body: `${text}\n` };
  headers.push(['content-type', 'application/problem+json']);
  const id = requestId === '' ? {} : { request_id: requestId };
  return { status, headers, body: JSON.stringify({ title: TITLES[status], status, detail: text, ...id }) };
}

/** Clients may choose the id if the proxy trusts them, so only ids of normal length that need no escaping are repeated. */
export function isTellableRequestId(id: string): boolean {
  return /^[A-Za-z0-9._~:+/=-]{1,128}$/.test(id);
}

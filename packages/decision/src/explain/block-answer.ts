import type { BlockVerdict } from '@flotilla/engines';
import { type BlockResponse, challengeSchemeOf } from '@flotilla/policy';
import type { ExplainedAnswer } from './explanation.ts';

/** How a block is told to the client, beyond the plain text of the specification. */
export interface BlockTelling {
  readonly response: BlockResponse | undefined;
  /** Stands in a problem document as it is: see `isTellableRequestId`. Empty for none. */
  readonly requestId: string;
}

const PLAIN: BlockTelling = { response: undefined, requestId: '' };

const TITLES: { readonly [S in BlockVerdict['status']]: string } = {
  401: 'Unauthorized',
  403: 'Forbidden',
  429: 'Too Many Requests',
};

/** What a blocked client gets. The reason is not told to it: that is for Envoy's access log and for findings. */
export function describeBlock(
  { status, reason, retryAfterSeconds }: BlockVerdict,
  { response, requestId }: BlockTelling = PLAIN,
): ExplainedAnswer {
  const headers: [string, string][] = [['x-svc-shield', 'blocked']];
  if (retryAfterSeconds !== undefined) headers.push(['retry-after', String(retryAfterSeconds)]);
  // RFC 9110 section 15.5.2: a 401 has a challenge. Bearer's needs a parameter, and an error code would tell the reason (RFC 6750 section 3).
  if (status === 401) headers.push(['www-authenticate', `${challengeSchemeOf(reason)} realm="${response?.realm}"`]);
  const text = status === 429 ? 'Too many requests.' : 'Request blocked.';
  if (response?.format !== 'problem_json') return { status, headers, body: `${text}\n` };
  headers.push(['content-type', 'application/problem+json']);
  const id = requestId === '' ? {} : { request_id: requestId };
  return { status, headers, body: JSON.stringify({ title: TITLES[status], status, detail: text, ...id }) };
}

/** Clients may choose the id where the proxy trusts them: only what needs no escape, and is no longer than an id, is told again. */
export function isTellableRequestId(id: string): boolean {
  return /^[A-Za-z0-9._~:+/=-]{1,128}$/.test(id);
}

import type { BlockVerdict } from '@flotilla/engines';
import type { ExplainedAnswer } from './explanation.ts';

/** What a blocked client gets. The reason is not told to it: that is for Envoy's access log and for findings. */
export function describeBlock({ status, retryAfterSeconds }: BlockVerdict): ExplainedAnswer {
  const headers: [string, string][] = [['x-svc-shield', 'blocked']];
  if (retryAfterSeconds !== undefined) headers.push(['retry-after', String(retryAfterSeconds)]);
  return { status, headers, body: status === 429 ? 'Too many requests.\n' : 'Request blocked.\n' };
}

import type { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import { type OutboundRequest, sendRequest } from './request.ts';

/** Posts a message. Reads only the status of the answer, so that a misdirected request reveals nothing about the host. Rejects unless the status is 2xx. */
export async function post(message: Omit<OutboundRequest, 'method'>): Promise<void> {
  const { status } = await sendRequest({ ...message, method: 'POST' }, { maxBytes: 0 });
  if (status >= 300 && status < 400) throw new Error(`the receiver redirects (${status}), which is not followed`);
  if (status < 200 || status >= 300) throw new Error(`the receiver answers ${status}`);
}

/**
 * Headers that prove the sender and the time of a body: `x-flotilla-signature: v1=<hex>` is HMAC-SHA256 with the secret over
 * `<x-flotilla-timestamp>.<body>`.
 */
export function signBody(body: Buffer, secret: string): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  return { 'x-flotilla-timestamp': timestamp, 'x-flotilla-signature': `v1=${signature}` };
}

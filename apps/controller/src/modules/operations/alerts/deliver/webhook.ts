import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import type { AddressGuard } from '../../../../platform/outbound/index.ts';
import { post } from './post.ts';
import { type Message, renderJson, renderSlack } from './render.ts';

interface Sending {
  readonly guard: AddressGuard;
  readonly signal: AbortSignal;
}

/**
 * Signed like the forwarding of the audit log: `x-flotilla-signature: v1=<hex>` is HMAC-SHA256 with the secret over
 * `<x-flotilla-timestamp>.<body>`.
 */
export async function sendWebhook(
  { url, secret }: { readonly url: string; readonly secret: string },
  message: Message,
  sending: Sending,
): Promise<void> {
  const body = Buffer.from(JSON.stringify(renderJson(message)));
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'x-flotilla-delivery': message.id,
    'x-flotilla-timestamp': timestamp,
    'x-flotilla-signature': `v1=${signature}`,
  };
  await post({ url, headers, body, ...sending });
}

/** An incoming webhook of Slack or of what accepts the same. */
export async function sendSlack({ url }: { readonly url: string }, message: Message, sending: Sending): Promise<void> {
  const body = Buffer.from(JSON.stringify(renderSlack(message)));
  await post({ url, headers: { 'content-type': 'application/json' }, body, ...sending });
}

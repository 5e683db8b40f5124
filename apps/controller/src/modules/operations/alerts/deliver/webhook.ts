import { Buffer } from 'node:buffer';
import { type AddressGuard, post, signBody } from '../../../../platform/outbound/index.ts';
import { type Message, renderJson, renderSlack } from './render.ts';

interface Sending {
  readonly guard: AddressGuard;
  readonly signal: AbortSignal;
}

/** Signed like the forwarding of the audit log. */
export async function sendWebhook(
  { url, secret }: { readonly url: string; readonly secret: string },
  message: Message,
  sending: Sending,
): Promise<void> {
  const body = Buffer.from(JSON.stringify(renderJson(message)));
  const headers = {
    'content-type': 'application/json',
    'x-flotilla-delivery': message.id,
    ...signBody(body, secret),
  };
  await post({ url, headers, body, ...sending });
}

/** An incoming webhook of Slack or of what accepts the same. */
export async function sendSlack({ url }: { readonly url: string }, message: Message, sending: Sending): Promise<void> {
  const body = Buffer.from(JSON.stringify(renderSlack(message)));
  await post({ url, headers: { 'content-type': 'application/json' }, body, ...sending });
}

import { Buffer } from 'node:buffer';
import type { WEBHOOK_SETTINGS } from '@flotilla/contract';
import type * as z from 'zod';
import { signBody } from '../../../../platform/outbound/index.ts';
import { toHeadJson } from '../chain/index.ts';
import type { Batch, Transport } from './delivery.ts';

export type WebhookSettings = z.output<(typeof WEBHOOK_SETTINGS)['schema']>;

/**
 * POST of lines of JSON: `{type: "entry", seq, entry}` with entries as in the API, then `{type: "head", ...}` as in the
 * heads file. Signed: `x-flotilla-signature: v1=<hex>`, HMAC-SHA256 with the secret over
 * `<x-flotilla-timestamp>.<body>`; the timestamp is in seconds, so that a receiver can refuse old requests. Any 2xx
 * accepts the batch. Follows no redirects and reads only the status of an answer, so that a misdirected request reveals
 * nothing about the host.
 */
export class WebhookTransport implements Transport {
  readonly deadlineMs: number;
  readonly #settings: WebhookSettings;

  constructor(settings: WebhookSettings) {
    this.#settings = settings;
    this.deadlineMs = settings.timeout_ms;
  }

  async deliver({ entries, heads }: Batch, check: () => void): Promise<void> {
    await this.post(
      [
        ...entries.map(({ seq, entry }) => ({ type: 'entry', seq, entry })),
        ...heads.map((head) => ({ type: 'head', ...toHeadJson(head) })),
      ],
      check,
    );
  }

  async post(lines: readonly object[], check: () => void): Promise<void> {
    const { url, secret, timeout_ms: timeoutMs } = this.#settings;
    if (!url) throw new Error('no address is set');
    if (!secret) throw new Error('no secret is set to sign with');
    const body = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    check();
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-ndjson',
        'user-agent': 'flotilla',
        ...signBody(body, secret),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await answer.body?.cancel().catch(() => undefined);
    if (answer.status >= 300 && answer.status < 400)
      throw new Error(`the receiver redirects (${answer.status}), which is not followed`);
    if (!answer.ok) throw new Error(`the receiver answers ${answer.status}`);
  }
}

import type { Buffer } from 'node:buffer';
import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { type AddressGuard, createGuardedLookup, placeOf, requireLiteral } from './address.ts';

export interface PostOrder {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly guard: AddressGuard;
  readonly signal: AbortSignal;
}

/**
 * Sends one request over a connection of its own. Follows no redirect and reads only the status of the answer, so that a
 * misdirected request reveals nothing about the host. Rejects unless the status is 2xx.
 */
export async function post({ url: text, headers, body, guard, signal }: PostOrder): Promise<void> {
  const url = new URL(text);
  requireLiteral(url, guard);
  const request = url.protocol === 'https:' ? requestTls : requestPlain;
  const lookup = createGuardedLookup(guard, placeOf(url).port);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const sent = request(url, {
    method: 'POST',
    agent: false,
    lookup,
    signal,
    headers: { ...headers, 'content-length': String(body.length), 'user-agent': 'flotilla' },
  });
  sent.on('response', (answer) => {
    answer.destroy();
    resolve(answer.statusCode ?? 0);
  });
  sent.on('error', reject);
  sent.end(body);
  const status = await promise;
  if (status >= 300 && status < 400) throw new Error(`the receiver redirects (${status}), which is not followed`);
  if (status < 200 || status >= 300) throw new Error(`the receiver answers ${status}`);
}

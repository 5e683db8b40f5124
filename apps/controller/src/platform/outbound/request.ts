import { Buffer } from 'node:buffer';
import { type IncomingHttpHeaders, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { type AddressGuard, createGuardedLookup, placeOf, requireLiteral } from './address.ts';

export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** PEM. Undefined: the authorities of the operating system. */
  readonly ca?: string | undefined;
  readonly guard: AddressGuard;
  readonly signal: AbortSignal;
}

export interface OutboundAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Sends one request over a connection of its own to an address that the guard allows, and follows no redirect. Reads at
 * most `maxBytes` of the answer and rejects a longer one; with 0 it does not read the body at all.
 */
export async function sendRequest(
  { method, url: text, headers, body, ca, guard, signal }: OutboundRequest,
  { maxBytes }: { readonly maxBytes: number },
): Promise<OutboundAnswer> {
  const url = new URL(text);
  requireLiteral(url, guard);
  const request = url.protocol === 'https:' ? requestTls : requestPlain;
  const { promise, resolve, reject } = Promise.withResolvers<OutboundAnswer>();
  const sent = request(url, {
    method,
    agent: false,
    lookup: createGuardedLookup(guard, placeOf(url).port),
    signal,
    ...(ca !== undefined && { ca }),
    headers: { ...headers, ...(body && { 'content-length': String(body.length) }), 'user-agent': 'flotilla' },
  });
  sent.on('error', reject);
  sent.on('response', (answer) => {
    const { statusCode: status = 0, headers: answered } = answer;
    const chunks: Buffer[] = [];
    let length = 0;
    const end = () => resolve({ status, headers: answered, body: Buffer.concat(chunks) });
    if (maxBytes === 0) {
      end();
      answer.destroy();
      return;
    }
    answer.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) answer.destroy(new Error(`the answer is larger than ${maxBytes} bytes`));
      else chunks.push(chunk);
    });
    answer.on('error', reject);
    answer.on('aborted', () => reject(new Error('the answer ended early')));
    answer.on('end', end);
  });
  sent.end(body);
  return promise;
}

import { Buffer } from 'node:buffer';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { toErrorMessage } from '@flotilla/kit';
import { sendRequest } from '../outbound/index.ts';
import type { OtlpTarget } from './config.ts';

/** `retry`: the receiver may take the same request later. */
export type SendOutcome = 'accepted' | { readonly reason: string; readonly retry: boolean };

const RETRIED = new Set([429, 502, 503, 504]);
const ANSWER_MAX = 64 * 1024;
const pack = promisify(gzip);

/** Posts a request of OTLP/HTTP in JSON. Never rejects; reasons contain no headers and no address. */
export async function sendOtlp(target: OtlpTarget, request: object, stop: AbortSignal): Promise<SendOutcome> {
  const deadline = AbortSignal.timeout(target.timeoutMs);
  try {
    const text = Buffer.from(JSON.stringify(request));
    const body = target.gzip ? await pack(text) : text;
    const { status } = await sendRequest(
      {
        method: 'POST',
        url: target.url,
        headers: {
          ...target.headers,
          'content-type': 'application/json',
          ...(target.gzip && { 'content-encoding': 'gzip' }),
        },
        body,
        ca: target.ca,
        // The owner of the process has chosen the address.
        guard: () => undefined,
        signal: AbortSignal.any([deadline, stop]),
      },
      { maxBytes: ANSWER_MAX },
    );
    if (status >= 200 && status < 300) return 'accepted';
    return { reason: `the receiver answers ${status}`, retry: RETRIED.has(status) };
  } catch (error) {
    return {
      reason: deadline.aborted ? `no answer within ${target.timeoutMs} ms` : toErrorMessage(error),
      retry: true,
    };
  }
}

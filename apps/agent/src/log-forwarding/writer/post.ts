import { Agent as HttpAgent, type RequestOptions, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { WriterSettings } from './settings.ts';

const TIMEOUT_MS = 30_000;
const ANSWER_MAX_BYTES = 16 * 1024 * 1024;
const PATH = '/_bulk?filter_path=errors,items.*.status,items.*.error.type,items.*.error.reason';

export interface BulkAnswer {
  readonly status: number;
  readonly body: string;
}

/** Sends one `_bulk` request to a host. Rejects if there is no whole answer. Redirects are not followed. */
export type Post = (host: string, body: string) => Promise<BulkAnswer>;

/** Requests end with an error when `signal` aborts. */
export function createPost(
  { tls, skipsVerification, authorization }: Pick<WriterSettings, 'tls' | 'skipsVerification' | 'authorization'>,
  signal: AbortSignal,
): Post {
  const http = new HttpAgent({ keepAlive: true });
  const https = new HttpsAgent({
    keepAlive: true,
    rejectUnauthorized: !skipsVerification,
    ...(tls?.ca_cert && { ca: tls.ca_cert }),
    ...(tls?.client_cert && tls.client_key && { cert: tls.client_cert, key: tls.client_key }),
    ...(tls?.server_name && { servername: tls.server_name }),
  });
  signal.addEventListener('abort', () => {
    http.destroy();
    https.destroy();
  });
  return (host, body) => {
    const url = new URL(`${host.replace(/\/$/, '')}${PATH}`);
    const isSecure = url.protocol === 'https:';
    const options: RequestOptions = {
      method: 'POST',
      agent: isSecure ? https : http,
      signal,
      headers: {
        'content-type': 'application/x-ndjson',
        'content-length': Buffer.byteLength(body),
        ...(authorization !== null && { authorization }),
      },
    };
    return exchange((onAnswer) => (isSecure ? requestHttps : requestHttp)(url, options, onAnswer), body);
  };
}

function exchange(
  start: (onAnswer: NonNullable<Parameters<typeof requestHttp>[2]>) => ReturnType<typeof requestHttp>,
  body: string,
): Promise<BulkAnswer> {
  return new Promise((resolve, reject) => {
    const call = start((answer) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > ANSWER_MAX_BYTES) call.destroy(new Error('the answer is too large'));
        else chunks.push(chunk);
      });
      answer.on('error', reject);
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
    });
    const deadline = setTimeout(() => call.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
    call.on('close', () => clearTimeout(deadline));
    call.on('error', reject);
    call.end(body);
  });
}

import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { err, ok, type Result, toErrorMessage } from '@flotilla/kit';

/** absent: nothing listens. silent: no complete answer in time; an order may have been obeyed. */
export type Silence = { readonly kind: 'absent' | 'silent'; readonly message: string };

export interface DaemonAnswer {
  readonly status: number;
  readonly body: unknown;
}

const TIMEOUT_MS = 2000;
const ANSWER_MAX_BYTES = 4 * 1024 * 1024;
/** The socket does not exist, or its daemon has ended. */
const ABSENT = new Set(['ENOENT', 'ECONNREFUSED']);

/** Calls the daemon over its socket, `GET /state` without an order. */
export function askDaemon(
  socketPath: string,
  { order, timeoutMs = TIMEOUT_MS }: { readonly order?: object; readonly timeoutMs?: number } = {},
): Promise<Result<DaemonAnswer, Silence>> {
  const call = order ? { method: 'POST', path: '/orders' } : { method: 'GET', path: '/state' };
  return new Promise((resolve) => {
    const fail = (error: unknown) => {
      const isAbsent = ABSENT.has((error as NodeJS.ErrnoException).code ?? '');
      resolve(err({ kind: isAbsent ? 'absent' : 'silent', message: toErrorMessage(error) }));
    };
    const sent = request({ socketPath, ...call, agent: false }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > ANSWER_MAX_BYTES) sent.destroy(new Error('the answer is too long'));
      });
      buffer(response)
        .then((all) => resolve(ok({ status: response.statusCode ?? 0, body: JSON.parse(all.toString()) as unknown })))
        .catch(fail);
    });
    const timer = setTimeout(() => sent.destroy(new Error('the daemon did not answer in time')), timeoutMs);
    sent.once('error', fail);
    sent.once('close', () => clearTimeout(timer));
    sent.end(order && JSON.stringify(order));
  });
}

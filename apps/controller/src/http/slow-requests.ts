import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { answerClientError } from './client-errors.ts';

/** A request is there as a whole by then, or it ends: a file of many megabytes may come over a slow line. */
export const REQUEST_MAX_MS = 3_600_000;
/** One whose body is no file; as Node has it for every request where nobody says otherwise. */
const BODY_MAX_MS = 300_000;

/**
 * Ends connections whose requests do not come to their end: who sends a byte a minute, with a token or without one, is not
 * to hold connections for ever. How long an answer takes does not count.
 */
export function endSlowRequests(app: FastifyInstance, bodyMaxMs = BODY_MAX_MS): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { raw } = request;
    if (!hasBody(raw.headers)) {
      done();
      return;
    }
    const timer = setTimeout(() => {
      // Whole, and still being answered.
      if (raw.complete) return;
      // A file is waited for only where somebody is known to send it.
      if (request.routeOptions.config?.contract?.upload === true && request.admission !== undefined) return;
      answerClientError(Object.assign(new Error('slow request'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), raw.socket);
    }, bodyMaxMs).unref();
    const stop = () => clearTimeout(timer);
    // The one where the body was read, the other where nobody wanted it.
    raw.once('end', stop).once('close', stop);
    done();
  });
}

/** RFC 9112 section 6.3: a request without either of them ends with its head, which Node waits for by itself. */
function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

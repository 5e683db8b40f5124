import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { answerClientError } from './client-errors.ts';

/** Deadline for a complete request: a large file may come over a slow line. */
export const REQUEST_MAX_MS = 3_600_000;
/** Deadline for bodies that are not files; Node's default for every request. */
const BODY_MAX_MS = 300_000;

/**
 * Closes connections whose requests do not arrive completely in time. Otherwise a caller that sends a byte per minute,
 * with or without a token, could hold connections for ever. The time of the answer does not count.
 */
export function endSlowRequests(app: FastifyInstance, bodyMaxMs = BODY_MAX_MS): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { raw } = request;
    if (!hasBody(raw.headers)) {
      done();
      return;
    }
    const timer = setTimeout(() => {
      // The request is complete and being answered.
      if (raw.complete) return;
      // Uploads get the longer deadline only after the caller is authenticated.
      if (request.routeOptions.config?.contract?.upload === true && request.admission !== undefined) return;
      answerClientError(Object.assign(new Error('slow request'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), raw.socket);
    }, bodyMaxMs).unref();
    const stop = () => clearTimeout(timer);
    // `end` fires if the body was read, `close` if it was not.
    raw.once('end', stop).once('close', stop);
    done();
  });
}

/** RFC 9112 section 6.3: a request without either header ends with its head, for which Node has its own deadline. */
function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

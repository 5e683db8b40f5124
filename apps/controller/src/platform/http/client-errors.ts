import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { fail } from '@flotilla/contract';
import { type AppError, createId } from '@flotilla/kit';
import { toErrorBody } from './errors.ts';

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/**
 * Answers malformed or late requests that have no route yet with the standard error body, and closes the connection.
 * Node calls it with the error (nodejs.org/api/http.html, event clientError).
 */
export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable) socket.write(writeAnswer(describe(error.code)));
  socket.destroy(error);
}

function describe(code: string | undefined): AppError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return fail('request.timeout');
    case 'HPE_HEADER_OVERFLOW':
      return fail('request.headers_too_large');
    default:
      return fail('request.not_http');
  }
}

function writeAnswer(error: AppError): string {
  const id = createId();
  const body = JSON.stringify(toErrorBody(error, id));
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
    ...earlyHeaders(id),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${error.httpStatus} ${STATUS_TEXTS[error.httpStatus]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Headers of answers that are sent before any hook has run. */
export function earlyHeaders(requestId: string): Readonly<Record<string, string>> {
  return { 'x-request-id': requestId, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
}

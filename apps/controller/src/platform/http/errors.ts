import { type ErrorBody, fail, failIdentity } from '@flotilla/contract';
import { AppError } from '@flotilla/kit';
import type { FastifyRequest } from 'fastify';
import { JSON_TYPE } from './json-body.ts';
import { UPLOAD_TYPE } from './upload-body.ts';

export interface ErrorAnswer {
  readonly status: number;
  readonly body: ErrorBody;
  readonly retryAfterS: number | undefined;
}

/** Converts any thrown value into the standard error body. Unknown errors become 500 and their text stays hidden. */
export function toErrorAnswer(error: unknown, request: FastifyRequest): ErrorAnswer {
  const known = error instanceof AppError ? error : fromFrameworkError(error, request);
  return {
    status: known.httpStatus,
    body: toErrorBody(known, request.id),
    retryAfterS: typeof known.extra?.retry_after === 'number' ? known.extra.retry_after : undefined,
  };
}

/** `error` repeats `message`: programs written for other controllers look for the text there. */
export function toErrorBody({ code, message, details, extra }: AppError, requestId: string): ErrorBody {
  return { code, message, error: message, ...(details && { details: [...details] }), ...extra, request_id: requestId };
}

interface FrameworkError {
  readonly code?: unknown;
  readonly statusCode?: unknown;
  readonly message?: unknown;
  readonly syscall?: unknown;
}

function fromFrameworkError(error: unknown, request: FastifyRequest): AppError {
  const { code, statusCode, message } = (error ?? {}) as FrameworkError;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return fail('request.too_large', { limit: request.routeOptions.bodyLimit });
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return fail('request.media_type', { type: takenType(request) });
  if (isDatabaseAway((error ?? {}) as FrameworkError)) {
    return fail(
      'service.unavailable',
      { reason: 'The database is not reachable at the moment.' },
      { cause: error, extra: { retry_after: 1 } },
    );
  }
  if (code === DISK_FULL || code === 'ENOSPC') {
    return fail(
      'service.unavailable',
      { reason: 'No space is left on the disk.' },
      { cause: error, extra: { retry_after: 30 } },
    );
  }
  // Row-level security is the second line of defence if a route forgot its check: answer with a refusal, not with a
  // failure.
  const [, kind] = (code === '42501' && WALL_MESSAGE.exec(String(message))) || [];
  if (kind !== undefined)
    return failIdentity(
      'permission.missing',
      { kind, level: 'change' },
      { cause: error, extra: { kind, level: 'change' } },
    );
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return fail('request.malformed', { reason: String(message) });
  }
  return fail('internal.failure', {}, { cause: error });
}

function takenType({ routeOptions }: FastifyRequest): string {
  return routeOptions.config.contract?.upload ? UPLOAD_TYPE : JSON_TYPE;
}

/** SQLSTATE of a write for which PostgreSQL has no disk space; its transaction is rolled back. */
const DISK_FULL = '53100';

/**
 * Raised by `hold_maker` and `refuse_maker` of the database. Any other insufficient privilege (SQLSTATE 42501)
 * is a defect.
 */
const WALL_MESSAGE = /^no permission to change this (\w+)$/;

/** PostgreSQL: connection exceptions (class 08), too many connections, shutdown, crash and recovery (class 57P). */
const AWAY_STATES = new Set(['53300', '57P01', '57P02', '57P03']);
const AWAY_MESSAGE =
  /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error/i;

function isDatabaseAway({ code, syscall, message }: FrameworkError): boolean {
  if (typeof code === 'string' && (AWAY_STATES.has(code) || code.startsWith('08'))) return true;
  if (code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === 'EPIPE') return true;
  if (code === 'ENOENT' && syscall === 'connect') return true;
  return typeof message === 'string' && AWAY_MESSAGE.test(message);
}

import { type ErrorBody, fail } from '@flotilla/contract';
import { AppError } from '@flotilla/kit';

export interface ErrorAnswer {
  readonly status: number;
  readonly body: ErrorBody;
  readonly retryAfterS: number | undefined;
}

/** Turns whatever was thrown into the one error shape. Unknown errors become 500 and keep their text to themselves. */
export function toErrorAnswer(error: unknown, requestId: string): ErrorAnswer {
  const known = error instanceof AppError ? error : fromFrameworkError(error);
  return {
    status: known.httpStatus,
    body: {
      code: known.code,
      message: known.message,
      ...(known.details && { details: [...known.details] }),
      ...known.extra,
      request_id: requestId,
    },
    retryAfterS: typeof known.extra?.retry_after === 'number' ? known.extra.retry_after : undefined,
  };
}

interface FrameworkError {
  readonly code?: unknown;
  readonly statusCode?: unknown;
  readonly message?: unknown;
}

function fromFrameworkError(error: unknown): AppError {
  const { code, statusCode, message } = (error ?? {}) as FrameworkError;
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return fail('request.too_large', { limit: 'allowed' });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return fail('request.media_type');
    case 'ECONNREFUSED':
    case 'ENOENT':
    case '57P01': // admin_shutdown
    case '57P02': // crash_shutdown
    case '57P03': // cannot_connect_now
      return fail(
        'service.unavailable',
        { reason: 'The database is not reachable at the moment.' },
        { cause: error, extra: { retry_after: 1 } },
      );
    default:
  }
  if (typeof message === 'string' && /connection terminated|timeout exceeded when trying to connect/i.test(message)) {
    return fail(
      'service.unavailable',
      { reason: 'The database is not reachable at the moment.' },
      { cause: error, extra: { retry_after: 1 } },
    );
  }
  if (statusCode === 429) return fail('request.too_many', { seconds: 60 }, { extra: { retry_after: 60 } });
  if (statusCode === 404) return fail('request.not_found', { method: '', path: '' });
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return fail('request.malformed', { reason: String(message) });
  }
  return fail('internal.failure', {}, { cause: error });
}

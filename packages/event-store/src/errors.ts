import { AppError } from '@flotilla/kit';

type Make = (cause?: unknown) => AppError;

function refuse(code: string, httpStatus: number, message: string): Make {
  return (cause) => new AppError({ code, httpStatus, message, ...(cause === undefined ? {} : { cause }) });
}

export const EVENT_STORE_ERRORS = {
  full: refuse(
    'event_store.disk_full',
    503,
    'The disk of the event store is full and no older events are left to delete. Free space or raise its share of the disk.',
  ),
  closed: refuse('event_store.closed', 503, 'The event store is closed.'),
  locked: refuse(
    'event_store.locked',
    503,
    'Another process uses the file of the event store. Stop it, or give this one its own file.',
  ),
  newer: refuse(
    'event_store.newer_format',
    503,
    'A newer version wrote the file of the event store. Use that version, or move the file away.',
  ),
  corrupt: refuse(
    'event_store.corrupt',
    503,
    'The file of the event store is damaged. It is set aside at the next start, which begins with an empty store.',
  ),
  busy: refuse(
    'event_store.busy',
    503,
    'Too many batches wait for the event store. Keep the batch and send it again later.',
  ),
  crowded: refuse(
    'event_store.too_many_queries',
    503,
    'Too many queries wait for the event store. Try again in a moment.',
  ),
  memory: refuse(
    'event_store.out_of_memory',
    503,
    'The event store has too little memory for this now. Nothing is lost. Shorten the range of a query; maintenance goes on in smaller parts.',
  ),
  failed: refuse('event_store.failed', 502, 'The event store could not do this. Its log names the cause.'),
} as const;

export function refuseQuery(message: string): AppError {
  return new AppError({ code: 'event_store.bad_query', httpStatus: 400, message });
}

export function refuseBatch(message: string): AppError {
  return new AppError({ code: 'event_store.bad_batch', httpStatus: 400, message });
}

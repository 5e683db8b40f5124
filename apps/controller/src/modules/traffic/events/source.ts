import { fail, failInventory } from '@flotilla/contract';
import type { EventStore } from '@flotilla/event-store';
import { AppError, withDeadline } from '@flotilla/kit';
import type { EventStoreAccess } from '../collector/index.ts';

/** A keyed hash of a value, and the id of its key. */
export interface KeyedHash {
  readonly keyId: string;
  readonly hash: string;
}

/** Hashes a value with the keys of the project whose hashes events may have, the newest first. */
export type HashFor = (projectId: string, kind: 'source' | 'userAgent', value: string) => Promise<readonly KeyedHash[]>;

export interface EventSource {
  readonly access: EventStoreAccess;
  readonly hashFor: HashFor;
}

const ANSWER_MS = 15_000;

/**
 * Lets `work` query the store. Throws inventory.store_off without one, inventory.store_failed if it does not answer, and request.invalid
 * if it refuses the query.
 */
export async function askStore<T>(
  { access }: Pick<EventSource, 'access'>,
  work: (store: EventStore) => Promise<T>,
): Promise<T> {
  const { store, reason = 'This controller has none.' } = access;
  if (store === undefined) throw failInventory('inventory.store_off', { reason });
  try {
    return await withDeadline(work(store), ANSWER_MS, `It took longer than ${ANSWER_MS / 1000} seconds.`);
  } catch (cause) {
    throw toRouteError(cause);
  }
}

function toRouteError(cause: unknown): Error {
  if (cause instanceof AppError && cause.code === 'event_store.bad_query') {
    return fail('request.invalid', { reason: cause.message }, { cause });
  }
  if (cause instanceof AppError && !cause.code.startsWith('event_store.')) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return failInventory('inventory.store_failed', { reason }, { cause });
}

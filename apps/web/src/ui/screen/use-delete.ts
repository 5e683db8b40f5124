import type { CallInput, RouteContract } from '@flotilla/contract';
import { useQueryClient } from '@tanstack/react-query';
import { ApiError, invalidate, type RouteRef } from '../../api/index.ts';
import { useWrite } from './use-write.ts';

interface DeleteOptions {
  /** Confirms that this call deleted the record. */
  readonly done: string;
  /** The reads whose answers are stale then. */
  readonly stale: readonly RouteRef[];
}

type Delete = <R extends RouteContract>(
  route: RouteRef<R>,
  input: CallInput<R>,
  options: DeleteOptions,
) => Promise<void>;

/** Returns a function that deletes a record, such as a session. It succeeds if the record no longer exists. */
export function useDelete(): Delete {
  const client = useQueryClient();
  const write = useWrite();
  return async (route, input, { done, stale }) => {
    try {
      await write(route, input, { done });
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
    await invalidate(client, ...stale);
  };
}

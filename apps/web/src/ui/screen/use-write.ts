import type { CallAnswer, CallInput, CallOutput, RouteContract } from '@flotilla/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { call, invalidate, type RouteRef } from '../../api/index.ts';
import { sayDone } from '../toast.ts';

interface WriteOptions<R extends RouteContract> {
  /** The revision that the change applies to: the ETag of the answer. */
  readonly ifMatch?: string;
  /** Confirms the success. */
  readonly done?: string | ((body: CallOutput<R>) => string);
  /** The reads whose answers are stale then. */
  readonly stale?: readonly RouteRef[];
}

type Write = <R extends RouteContract>(
  route: RouteRef<R>,
  input: CallInput<R>,
  options?: WriteOptions<R>,
) => Promise<CallAnswer<CallOutput<R>>>;

/** Returns a function that calls a route, reports its success and reads again what the write changed. It rejects with the refusal. */
export function useWrite(): Write {
  const client = useQueryClient();
  return useCallback<Write>(
    async (route, input, { ifMatch, done, stale = [] } = {}) => {
      const answer = await call(route, input, { ...(ifMatch !== undefined && { ifMatch }) });
      if (done !== undefined) sayDone(typeof done === 'string' ? done : done(answer.body));
      void invalidate(client, ...stale);
      return answer;
    },
    [client],
  );
}

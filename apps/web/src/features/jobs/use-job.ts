import type { JobDetailView } from '@flotilla/contract';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { call, type Loaded, routes } from '../../api/index.ts';
import { addEvent, type JobEvent } from './job-model.ts';

export type FollowedJob = JobDetailView & { readonly events: readonly JobEvent[] };

/** Loads a job with all its events. Follows the page's event stream and fetches only new events. */
export function useJob(jobId: string, projectId: string): UseQueryResult<Loaded<FollowedJob>> {
  const client = useQueryClient();
  const queryKey = [routes.job.get.id, 'followed', projectId, jobId];
  return useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<Loaded<FollowedJob>> => {
      const known = client.getQueryData<Loaded<FollowedJob>>(queryKey)?.body.events ?? [];
      const query = { project: projectId, events_after: known.at(-1)?.seq ?? 0 };
      const { body, etag } = await call(routes.job.get, { params: { job_id: jobId }, query }, { signal });
      return { body: { ...body, events: (body.events ?? []).reduce<readonly JobEvent[]>(addEvent, known) }, etag };
    },
    meta: { topics: ['job'] },
  });
}

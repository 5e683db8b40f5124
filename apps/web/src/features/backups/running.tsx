import type { JobView } from '@flotilla/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { invalidate, routes, useApi } from '../../api/index.ts';
import { Loaded, Notice, sayDone } from '../../ui/index.ts';
import { isOver, JobProgress } from '../jobs/index.ts';
import type { StartedJob } from './make-drawer.tsx';
import { useScope } from './scope.ts';
import { texts } from './texts.ts';

const text = texts.running;
const ASK_MS = 1000;

/** Shows the progress of a new backup until it is complete. */
export function Running({ job }: { job: StartedJob }) {
  const { query } = useScope();
  const queryClient = useQueryClient();
  const found = useApi(
    routes.job.get,
    { params: { job_id: job.id }, query },
    { topics: ['job'], refetchEveryMs: (answer) => (answer && isOver(answer.status) ? false : ASK_MS) },
  );
  const status = found.data?.body.status;
  useEffect(() => {
    if (status === undefined || !isOver(status)) return;
    if (status === 'done') sayDone(text.done);
    void invalidate(queryClient, routes.backup.list);
  }, [status, queryClient]);
  return (
    <Loaded query={found} what={text.what} skeleton={1}>
      {({ body }) => <JobNotice job={body} />}
    </Loaded>
  );
}

function JobNotice({ job: { status, number, error, progress } }: { job: JobView }) {
  if (status === 'done') return null;
  if (isOver(status))
    return (
      <Notice tone="bad" title={text.failed}>
        {error?.message}
      </Notice>
    );
  return (
    <Notice tone="busy" title={text.title(number)}>
      <JobProgress progress={progress} />
    </Notice>
  );
}

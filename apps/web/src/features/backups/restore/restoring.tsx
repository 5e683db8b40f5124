import type { backupRoutes, CallOutput } from '@flotilla/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { invalidate, routes, useApi } from '../../../api/index.ts';
import type { Project } from '../../../app/project.tsx';
import { Loaded, Notice } from '../../../ui/index.ts';
import { isOver, JobProgress } from '../../jobs/index.ts';
import { texts } from '../texts.ts';
import { Restored } from './restored.tsx';

const text = texts.restore;
const ASK_MS = 500;

export type BegunRestore = Extract<CallOutput<typeof backupRoutes.import>, { readonly job: unknown }>;

interface RestoringProps {
  readonly begun: BegunRestore;
  readonly project: Project;
  readonly onDone: () => void;
}

/** Shows the progress of the job, then what it has restored or why it failed. */
export function Restoring(props: RestoringProps) {
  const { begun, project } = props;
  const queryClient = useQueryClient();
  const found = useApi(
    routes.job.get,
    { params: { job_id: begun.job.id }, query: { project: project.id } },
    { topics: ['job'], refetchEveryMs: (answer) => (answer && isOver(answer.status) ? false : ASK_MS) },
  );
  const status = found.data?.body.status;
  useEffect(() => {
    if (status !== undefined && isOver(status))
      void invalidate(queryClient, routes.backup.list, routes.xds.list, routes.service.list, routes.policy.list);
  }, [status, queryClient]);
  return (
    <Loaded query={found} what={text.job} skeleton={1}>
      {({ body: { status: now, number, error, progress } }) => {
        if (now === 'done') return <Result {...props} />;
        if (isOver(now))
          return (
            <Notice tone="bad" title={text.applyFailed}>
              {error?.message}
            </Notice>
          );
        return (
          <Notice tone="busy" title={text.running(number)}>
            <JobProgress progress={progress} />
          </Notice>
        );
      }}
    </Loaded>
  );
}

function Result({ begun, project, onDone }: RestoringProps) {
  const found = useApi(routes.backup.restore, {
    params: { restore_id: begun.restore },
    query: { project: project.id },
  });
  return (
    <Loaded query={found} what={text.job} skeleton={2}>
      {({ body }) => <Restored result={body} project={project} onDone={onDone} />}
    </Loaded>
  );
}

import type { JobDetailView } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { routes } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Confirm, useWrite } from '../../ui/index.ts';
import { isOver } from './job-model.ts';
import { texts } from './texts.ts';

const text = texts;

type Action = 'cancel' | 'retry' | 'retryFailed' | 'retryPending' | 'requeue';

const RETRIES = { retry: 'full', retryFailed: 'failed_only', retryPending: 'pending_only' } as const;
const STALE = { stale: [routes.job.get, routes.job.list] };

/** Shows the actions that the state of the job allows, each with a confirmation. */
export function JobActions({ job }: { job: JobDetailView }) {
  const can = useCan();
  const project = useProject();
  const write = useWrite();
  const navigate = useNavigate();
  const [open, setOpen] = useState<Action>();
  const close = () => setOpen(undefined);
  const over = isOver(job.status);
  const mayAgain = can(routes.job.retry);
  const about = { params: { job_id: job.id }, query: { project: project.id } };
  const act = async (action: Action) => {
    if (action === 'cancel') {
      await write(routes.job.cancel, about, { done: ({ outcome }) => text.cancel.outcomes[outcome], ...STALE });
    } else if (action === 'requeue') await write(routes.job.requeue, about, { done: text.requeue.done, ...STALE });
    else {
      const input = { ...about, body: { retry_type: RETRIES[action] } };
      const { body } = await write(routes.job.retry, input, {
        done: ({ job: { number } }) => text.retry.done(number),
        ...STALE,
      });
      const jobId = String(body.job.number);
      await navigate({ to: '/p/$project/jobs/$jobId', params: { project: project.name, jobId } });
    }
  };
  const buttons: readonly (readonly [Action, string, boolean])[] = [
    ['cancel', text.cancel.action, !over && !job.cancel_requested && can(routes.job.cancel)],
    ['requeue', text.requeue.action, job.status === 'dead' && can(routes.job.requeue)],
    ['retryFailed', text.retry.failedOnly, over && mayAgain && job.errors.some(({ pending }) => !pending)],
    ['retryPending', text.retry.pendingOnly, over && mayAgain && job.errors.some(({ pending }) => pending)],
    ['retry', text.retry.action, over && mayAgain],
  ];
  return (
    <>
      {buttons.map(
        ([action, label, isOffered]) =>
          isOffered && (
            <Button key={action} variant="default" onClick={() => setOpen(action)}>
              {label}
            </Button>
          ),
      )}
      <Confirm
        opened={open !== undefined}
        {...wordsOf(open ?? 'cancel', job.number)}
        isDangerous={open === 'cancel'}
        onClose={close}
        onConfirm={async () => {
          if (open) await act(open);
        }}
      />
    </>
  );
}

function wordsOf(action: Action, number: number): { title: string; action: string; children: string } {
  switch (action) {
    case 'cancel':
      return { title: text.cancel.title(number), action: text.cancel.action, children: text.cancel.text };
    case 'requeue':
      return { title: text.requeue.title(number), action: text.requeue.action, children: text.requeue.text };
    case 'retryFailed':
      return { title: text.retry.title(number), action: text.retry.failedOnly, children: text.retry.textFailed };
    case 'retryPending':
      return { title: text.retry.title(number), action: text.retry.pendingOnly, children: text.retry.textPending };
    case 'retry':
      return { title: text.retry.title(number), action: text.retry.action, children: text.retry.text };
  }
}

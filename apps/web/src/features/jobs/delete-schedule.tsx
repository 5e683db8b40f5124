import type { ScheduleView } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, invalidate, routes } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { Confirm, sayDone } from '../../ui/index.ts';

const text = texts.jobs.schedules.remove;

interface DeleteScheduleProps {
  readonly schedule: ScheduleView;
  /** Query of the list; empty for the installation. */
  readonly query: { readonly project?: string };
}

/** Shown with permission; asks for confirmation. */
export function DeleteSchedule({ schedule: { id, name }, query }: DeleteScheduleProps) {
  const queryClient = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  if (!useCan()(routes.job.deleteSchedule)) return null;
  return (
    <>
      <Button variant="default" size="compact-xs" aria-label={text.label(name)} onClick={() => setAsking(true)}>
        {text.action}
      </Button>
      <Confirm
        opened={isAsking}
        title={text.title(name)}
        action={text.action}
        isDangerous
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await call(routes.job.deleteSchedule, { params: { schedule_id: id }, query });
          sayDone(text.done(name));
          await invalidate(queryClient, routes.job.schedules);
        }}
      >
        {text.text}
      </Confirm>
    </>
  );
}

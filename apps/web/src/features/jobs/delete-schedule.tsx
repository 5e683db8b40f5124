import type { ScheduleView } from '@flotilla/contract';
import { routes } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { RowActions, useWrite } from '../../ui/index.ts';
import { texts } from './texts.ts';

const text = texts.schedules.remove;

interface DeleteScheduleProps {
  readonly schedule: ScheduleView;
  /** Query of the list; empty for the installation. */
  readonly query: { readonly project?: string };
}

/** A button with a confirmation. Hidden without permission. */
export function DeleteSchedule({ schedule: { id, name }, query }: DeleteScheduleProps) {
  const can = useCan();
  const write = useWrite();
  const remove = () =>
    write(
      routes.job.deleteSchedule,
      { params: { schedule_id: id }, query },
      { done: text.done(name), stale: [routes.job.schedules] },
    );
  return (
    <RowActions
      of={name}
      actions={[
        {
          word: text.action,
          label: text.label(name),
          confirm: can(routes.job.deleteSchedule)
            ? { title: text.title(name), children: text.text, isDangerous: true, onConfirm: remove }
            : undefined,
        },
      ]}
    />
  );
}

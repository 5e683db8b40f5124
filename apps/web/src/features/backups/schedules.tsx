import type { ScheduleView } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, invalidate, routes, useApi } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { Confirm, Loaded, Section, sayDone, Time, useKept } from '../../ui/index.ts';
import classes from './backups.module.css';
import { SCHEDULED_TYPE, ScheduleDrawer } from './schedule-drawer.tsx';
import { useScope } from './scope.ts';

const text = texts.backups.schedule;

/** The backups that are made by the clock. `?schedule=new` opens the drawer. */
export function Schedules() {
  const { project, query } = useScope();
  const can = useCan();
  const url = useUrlState();
  const [removed, setRemoved] = useState<ScheduleView>();
  const found = useApi(routes.job.schedules, { query }, { topics: ['job'] });
  const canCreate = can(routes.job.createSchedule);
  return (
    <Section
      title={text.title}
      actions={
        canCreate && (
          <Button variant="default" size="xs" onClick={() => url.set({ schedule: 'new' }, 'push')}>
            {text.action}
          </Button>
        )
      }
    >
      <Loaded query={found} what={text.what} skeleton={2}>
        {({ body }) => {
          const items = body.items.filter(
            (one) => one.type === SCHEDULED_TYPE && one.project === (project?.id ?? null),
          );
          if (items.length === 0) return <p className={classes.note}>{text.none}</p>;
          return (
            <ul className={classes.schedules}>
              {items.map((schedule) => (
                <Line
                  key={schedule.id}
                  schedule={schedule}
                  onRemove={can(routes.job.deleteSchedule) ? () => setRemoved(schedule) : undefined}
                />
              ))}
            </ul>
          );
        }}
      </Loaded>
      {canCreate && <ScheduleDrawer />}
      <Removal schedule={removed} onClose={() => setRemoved(undefined)} />
    </Section>
  );
}

function Line({ schedule, onRemove }: { schedule: ScheduleView; onRemove: (() => void) | undefined }) {
  const { name, cron, time_zone: zone, enabled, next_run_at: next, params } = schedule;
  return (
    <li>
      <span>
        <bdi>{name}</bdi> <span className="mono">{cron}</span> {zone}
        {typeof params.keep === 'number' && `, ${text.kept(params.keep)}`}
      </span>
      <span className={classes.actions}>
        {enabled ? (
          <span>
            {text.next}: <Time at={next} />
          </span>
        ) : (
          text.off
        )}
        {onRemove && (
          <Button variant="default" size="compact-xs" aria-label={text.remove(name)} onClick={onRemove}>
            {text.removeAction}
          </Button>
        )}
      </span>
    </li>
  );
}

function Removal({ schedule, onClose }: { schedule: ScheduleView | undefined; onClose: () => void }) {
  const { query } = useScope();
  const queryClient = useQueryClient();
  const shown = useKept(schedule);
  return (
    <Confirm
      opened={schedule !== undefined}
      title={text.removeTitle(shown?.name ?? '')}
      action={text.removeAction}
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        if (!schedule) return;
        await call(routes.job.deleteSchedule, { params: { schedule_id: schedule.id }, query });
        sayDone(text.removed(schedule.name));
        await invalidate(queryClient, routes.job.schedules);
      }}
    >
      {text.removeText}
    </Confirm>
  );
}

import type { ScheduleView } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call, invalidate, routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { Confirm, Empty, Loaded, sayDone, Time, useKept } from '../../ui/index.ts';
import lines from '../../ui/rows.module.css';
import classes from './jobs.module.css';

const text = texts.jobs.schedules;

/** What the clock starts, and what hinders it. */
export function Schedules() {
  const can = useCan();
  const project = useProject();
  const query = { project: project.id };
  const [removed, setRemoved] = useState<ScheduleView>();
  const found = useApi(routes.job.schedules, { query }, { topics: ['job'] });
  const types = useApi(routes.job.types, { query }).data?.body.items;
  return (
    <Loaded query={found} what={text.what}>
      {({ body: { items } }) => (
        <>
          {items.length === 0 ? (
            <Empty
              title={text.none}
              action={
                can(routes.backup.list) && (
                  <Link to="/p/$project/settings/$section" params={{ project: project.name, section: 'backups' }}>
                    {text.backups}
                  </Link>
                )
              }
            />
          ) : (
            <ul className={lines.rows} aria-label={text.list}>
              {items.map((schedule) => (
                <Line
                  key={schedule.id}
                  schedule={schedule}
                  title={types?.find(({ type }) => type === schedule.type)?.title ?? schedule.type}
                  onRemove={can(routes.job.deleteSchedule) ? () => setRemoved(schedule) : undefined}
                />
              ))}
            </ul>
          )}
          <Removal schedule={removed} onClose={() => setRemoved(undefined)} />
        </>
      )}
    </Loaded>
  );
}

interface LineProps {
  readonly schedule: ScheduleView;
  readonly title: string;
  readonly onRemove: (() => void) | undefined;
}

function Line({ schedule, title, onRemove }: LineProps) {
  const { name, cron, time_zone: zone, enabled, next_run_at: next, last_job: last, error, failures } = schedule;
  const project = useProject();
  return (
    <li className={lines.row}>
      <span className={lines.grow}>
        <bdi>{name}</bdi> <span className={lines.dim}>{title}</span>
      </span>
      <span className="mono">{cron}</span>
      <span>{zone}</span>
      {enabled ? (
        <span className={lines.dim}>
          {text.next} <Time at={next} />
        </span>
      ) : (
        <span className={lines.dim}>{text.off}</span>
      )}
      {last !== null && (
        <Link to="/p/$project/jobs/$jobId" params={{ project: project.name, jobId: last }}>
          {text.last}
        </Link>
      )}
      {onRemove && (
        <Button variant="default" size="compact-xs" aria-label={text.remove(name)} onClick={onRemove}>
          {text.removeAction}
        </Button>
      )}
      {error && (
        <span className={classes.trouble}>
          <strong>{text.hindered(failures)}</strong> <bdi>{error.message}</bdi>{' '}
          <span className="mono">{error.code}</span>
        </span>
      )}
    </li>
  );
}

function Removal({ schedule, onClose }: { schedule: ScheduleView | undefined; onClose: () => void }) {
  const query = { project: useProject().id };
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

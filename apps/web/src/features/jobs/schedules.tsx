import type { ScheduleView } from '@flotilla/contract';
import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Empty, Loaded, Time } from '../../ui/index.ts';
import lines from '../../ui/rows.module.css';
import { DeleteSchedule } from './delete-schedule.tsx';
import { texts } from './texts.ts';

const text = texts.schedules;

/** Lists schedules, and why they fail to start jobs. */
export function Schedules() {
  const can = useCan();
  const project = useProject();
  const query = { project: project.id };
  const found = useApi(routes.job.schedules, { query }, { topics: ['job'] });
  const types = useApi(routes.job.types, { query }).data?.body.items;
  return (
    <Loaded query={found} what={text.what}>
      {({ body: { items } }) =>
        items.length === 0 ? (
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
              />
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

function Line({ schedule, title }: { schedule: ScheduleView; title: string }) {
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
      <DeleteSchedule schedule={schedule} query={{ project: project.id }} />
      {error && (
        <Text component="span" c="var(--f-bad)" w="100%">
          <strong>{text.hindered(failures)}</strong> <bdi>{error.message}</bdi>{' '}
          <span className="mono">{error.code}</span>
        </Text>
      )}
    </li>
  );
}

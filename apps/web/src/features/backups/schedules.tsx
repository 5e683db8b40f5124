import type { ScheduleView } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { routes, useApi } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { Loaded, Section, Time } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import lines from '../../ui/rows.module.css';
import { DeleteSchedule } from '../jobs/index.ts';
import { SCHEDULED_TYPE, ScheduleDrawer } from './schedule-drawer.tsx';
import { useScope } from './scope.ts';
import { texts } from './texts.ts';

const text = texts.schedule;

/** Lists the backup schedules. `?schedule=new` opens the drawer. */
export function Schedules() {
  const { project, query } = useScope();
  const can = useCan();
  const url = useUrlState();
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
          if (items.length === 0) return <p className={layout.note}>{text.none}</p>;
          return (
            <ul className={lines.rows} aria-label={text.title}>
              {items.map((schedule) => (
                <Line key={schedule.id} schedule={schedule} />
              ))}
            </ul>
          );
        }}
      </Loaded>
      {canCreate && <ScheduleDrawer />}
    </Section>
  );
}

function Line({ schedule }: { schedule: ScheduleView }) {
  const { query } = useScope();
  const { name, cron, time_zone: zone, enabled, next_run_at: next, params } = schedule;
  return (
    <li className={lines.row}>
      <span className={lines.grow}>
        <bdi>{name}</bdi> <span className="mono">{cron}</span> {zone}
        {typeof params.keep === 'number' && `, ${text.kept(params.keep)}`}
      </span>
      <span className={lines.dim}>
        {enabled ? (
          <>
            {text.next} <Time at={next} />
          </>
        ) : (
          text.off
        )}
      </span>
      <DeleteSchedule schedule={schedule} query={query} />
    </li>
  );
}

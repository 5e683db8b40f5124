import type { JobDetailView, JobView } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { Loaded, Section } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import lines from '../../ui/rows.module.css';
import { JobState } from './job-state.tsx';
import { texts } from './texts.ts';

const text = texts.children;
const SHOWN_MAX = 20;
const UNWELL = ['failed', 'dead', 'cancelled', 'done_with_errors'] satisfies JobView['status'][];

export function JobFamily({ job }: { job: JobDetailView }) {
  const project = useProject();
  if (job.children.total === 0 && job.parent === null) return null;
  return (
    <Section title={text.title}>
      {job.children.total > 0 && (
        <>
          <p className={layout.note}>{text.summary(job.children)}</p>
          <Children job={job} />
        </>
      )}
      {job.parent !== null && (
        <Link to="/p/$project/jobs/$jobId" params={{ project: project.name, jobId: job.parent }}>
          {text.parent}
        </Link>
      )}
    </Section>
  );
}

/** Shows failed child jobs if there are any, or else the newest. */
function Children({ job }: { job: JobDetailView }) {
  const project = useProject();
  const hasFailed = job.children.failed > 0;
  const query = {
    project: project.id,
    parent: job.id,
    limit: SHOWN_MAX,
    ...(hasFailed && { status: UNWELL }),
  };
  const found = useApi(routes.job.list, { query }, { topics: ['job'] });
  return (
    <Loaded query={found} what={text.title} skeleton={2}>
      {({ body: { items, next_cursor: next } }) => (
        <>
          <ul className={lines.rows} aria-label={hasFailed ? text.failed : text.newest}>
            {items.map(({ id, number, title, status, error }) => (
              <li key={id} className={lines.row}>
                <Link to="/p/$project/jobs/$jobId" params={{ project: project.name, jobId: String(number) }}>
                  {number}
                </Link>
                <bdi className={lines.grow}>{error?.message ?? title}</bdi>
                <JobState status={status} />
              </li>
            ))}
          </ul>
          {next !== null && <p className={layout.note}>{hasFailed ? text.moreFailed : text.more}</p>}
        </>
      )}
    </Loaded>
  );
}

import type { JobDetailView } from '@flotilla/contract';
import { Skeleton } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useProject } from '../../app/project.tsx';
import { Columns, Facts, RecordPage, Time, useNow } from '../../ui/index.ts';
import { JobAbout } from './job-about.tsx';
import { JobActions } from './job-actions.tsx';
import { JobFamily } from './job-children.tsx';
import { JobEvents } from './job-events.tsx';
import { formatLasted } from './job-model.ts';
import { JobNotices } from './job-notices.tsx';
import { JobProgress, JobState } from './job-state.tsx';
import { JobSteps } from './job-steps.tsx';
import { JobTargets } from './job-targets.tsx';
import { texts } from './texts.ts';
import { useJob } from './use-job.ts';

const text = texts;

/** Shows one job and follows it until its end. */
export function JobPage() {
  const { jobId } = useParams({ from: '/p/$project/jobs/$jobId' });
  const project = useProject();
  return (
    <RecordPage
      words={text.page}
      query={useJob(jobId, project.id)}
      list={{
        name: text.title,
        link: (label) => (
          <Link to="/p/$project/jobs" params={{ project: project.name }}>
            {label}
          </Link>
        ),
      }}
      title={({ number }) => text.name(number)}
      lead={({ title }) => <bdi>{title}</bdi>}
      beside={({ status }) => <JobState status={status} />}
      actions={({ body }) => <JobActions job={body} />}
      whyMissing={text.page.whyMissing}
      skeleton={<Skeleton height={320} />}
    >
      {({ body }) => (
        <Columns aside={<JobFacts job={body} />}>
          <JobNotices job={body} />
          <JobSteps job={body} />
          <JobTargets job={body} />
          <JobFamily job={body} />
          <JobEvents events={body.events} />
        </Columns>
      )}
    </RecordPage>
  );
}

function JobFacts({ job }: { job: JobDetailView }) {
  const now = useNow(1000);
  const { facts } = text;
  return (
    <Facts
      facts={[
        [
          text.progress,
          <span key="p">
            <JobProgress progress={job.progress} />
            {job.progress.total > 0 && text.progressOf(job.progress)}
          </span>,
        ],
        [facts.by, job.by.kind === 'system' ? text.system : <bdi key="b">{job.by.name}</bdi>],
        [
          facts.about,
          job.resource && <JobAbout key="a" resource={job.resource} isInstallation={job.project === null} />,
        ],
        [facts.made, <Time key="m" at={job.created_at} />],
        [facts.begun, <Time key="s" at={job.started_at} />],
        [facts.ended, job.ended_at === null ? undefined : <Time key="e" at={job.ended_at} />],
        [facts.lasted, formatLasted(job, now)],
        [facts.attempt, text.attemptOf(job.attempt, job.attempts_max)],
        [
          facts.type,
          <span key="t" className="mono">
            {job.type}
          </span>,
        ],
        [
          facts.id,
          <span key="i" className="mono">
            {job.id}
          </span>,
        ],
      ]}
    />
  );
}

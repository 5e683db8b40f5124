import type { JobView } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import { auditActions } from '../../changes/action-texts.ts';
import { type Column, shortenId, Time, useNow } from '../../ui/index.ts';
import { formatLasted } from './job-model.ts';
import { JobProgress, JobState } from './job-state.tsx';
import { texts } from './texts.ts';

const { noun } = auditActions;
const { columns: headers, status: words, system } = texts;

// oxlint-disable-next-line max-lines-per-function -- one entry per column
export function createJobColumns(project: string): readonly Column<JobView>[] {
  return [
    {
      id: 'number',
      isOpening: true,
      header: headers.number,
      width: 64,
      isNarrow: true,
      cell: ({ number }) => (
        <Link to="/p/$project/jobs/$jobId" params={{ project, jobId: String(number) }}>
          {number}
        </Link>
      ),
      text: ({ number }) => number,
    },
    {
      id: 'title',
      header: headers.title,
      width: '2fr',
      minWidth: 110,
      isNarrow: true,
      cell: ({ title }) => <bdi title={title}>{title}</bdi>,
      text: ({ title }) => title,
    },
    {
      id: 'status',
      header: headers.status,
      width: 142,
      isNarrow: true,
      cell: ({ status }) => <JobState status={status} />,
      text: ({ status }) => words[status][0],
    },
    {
      id: 'progress',
      header: headers.progress,
      width: 150,
      cell: ({ progress }) => <JobProgress progress={progress} />,
      text: ({ progress }) => progress.percent,
    },
    {
      id: 'by',
      header: headers.by,
      width: '1fr',
      minWidth: 80,
      cell: ({ by }) => (by.kind === 'system' ? <i>{system}</i> : <bdi title={by.name}>{by.name}</bdi>),
      text: ({ by }) => by.name,
    },
    {
      id: 'created_at',
      header: headers.created,
      width: 104,
      cell: ({ created_at }) => <Time at={created_at} />,
      text: ({ created_at }) => created_at,
    },
    {
      id: 'lasted',
      header: headers.lasted,
      width: 104,
      cell: (job) => <Lasted job={job} />,
      text: (job) => formatLasted(job, Date.now()),
    },
    {
      id: 'about',
      header: headers.about,
      width: 140,
      isOptional: true,
      cell: ({ resource }) =>
        resource ? <bdi title={resource.name}>{`${noun(resource.type)} ${shortenId(resource.name)}`}</bdi> : '–',
      text: ({ resource }) => (resource ? `${resource.type} ${resource.name}` : ''),
    },
    {
      id: 'type',
      header: headers.type,
      width: 140,
      isOptional: true,
      cell: ({ type }) => <span className="mono">{type}</span>,
      text: ({ type }) => type,
    },
  ];
}

/** Shows the duration, which counts up while the job runs. */
function Lasted({ job }: { job: JobView }) {
  return formatLasted(job, useNow(1000)) ?? '–';
}

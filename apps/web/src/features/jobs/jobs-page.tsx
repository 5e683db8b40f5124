import type { JobView } from '@flotilla/contract';
import { useMemo } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { ApiTable, type Filter, Page, UrlTabs } from '../../ui/index.ts';
import { createJobColumns } from './job-columns.tsx';
import { STATUSES } from './job-model.ts';
import { Schedules } from './schedules.tsx';
import { texts } from './texts.ts';
import { Workers } from './workers.tsx';

const text = texts;

export function JobsPage() {
  const can = useCan();
  const tabs = [
    { id: 'jobs', label: text.tabs.jobs, content: () => <JobList /> },
    ...(can(routes.job.schedules)
      ? [{ id: 'schedules', label: text.tabs.schedules, content: () => <Schedules /> }]
      : []),
    ...(can(routes.job.workers) ? [{ id: 'workers', label: text.tabs.workers, content: () => <Workers /> }] : []),
  ];
  return (
    <Page title={text.title} lead={text.lead} isWide>
      <UrlTabs tabs={tabs} label={text.tabs.label} />
    </Page>
  );
}

function JobList() {
  const project = useProject();
  const types = useApi(routes.job.types, { query: { project: project.id } });
  const kinds = types.data?.body.items;
  const filters = useMemo(
    (): readonly Filter[] => [
      {
        name: 'status',
        label: text.columns.status,
        options: STATUSES.map((value) => ({ value, label: text.status[value][0] })),
      },
      {
        name: 'type',
        label: text.columns.type,
        options: kinds?.map(({ type, title }) => ({ value: type, label: title })) ?? [],
      },
      { name: 'user', label: text.columns.by },
    ],
    [kinds],
  );
  const columns = useMemo(() => createJobColumns(project.name), [project.name]);
  return (
    <ApiTable<JobView>
      words={{ name: 'jobs', searches: text.searches, empty: { title: text.emptyTitle, text: text.empty } }}
      route={routes.job.list}
      topics={['job']}
      columns={columns}
      filters={filters}
    />
  );
}

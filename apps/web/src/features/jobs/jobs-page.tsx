import type { JobView } from '@flotilla/contract';
import { useMemo } from 'react';
import { routes, useApi, useApiList } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { DataTable, Empty, type Filter, Page, UrlTabs, useTableState } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { createJobColumns } from './job-columns.tsx';
import { STATUSES } from './job-model.ts';
import { Schedules } from './schedules.tsx';
import { Workers } from './workers.tsx';

const text = texts.jobs;

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
  const state = useTableState(filters);
  const list = useApiList<JobView>(
    routes.job.list,
    { query: { project: project.id, ...state.query } },
    { topics: ['job'] },
  );
  const columns = useMemo(() => createJobColumns(project.name), [project.name]);
  return (
    <div className={layout.stack}>
      <DataTable
        name="jobs"
        list={list}
        state={state}
        columns={columns}
        filters={filters}
        rowId={({ id }) => id}
        searches={text.searches}
        empty={<Empty title={text.emptyTitle}>{text.empty}</Empty>}
      />
    </div>
  );
}

import { Button, Skeleton, Stack, Switch } from '@mantine/core';
import { useMemo } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject, useUser } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { useClientNames } from '../../app/use-client-names.ts';
import { DataTable, Empty, formatExact, Loaded, Notice, Page } from '../../ui/index.ts';
import { createAuditColumns } from './audit-columns.tsx';
import { EntryDrawer } from './entry-drawer.tsx';
import { RecordBar } from './record-bar.tsx';
import { StatsStrip } from './stats-strip.tsx';
import { texts } from './texts.tsx';
import { TimeControl } from './time-control.tsx';
import { useArrivals } from './use-arrivals.ts';
import { useAuditLog } from './use-audit-log.ts';

const text = texts.auditPage;

const STATS_PX = 170;

export function AuditPage() {
  const can = useCan();
  return (
    <Page title={text.page.title} lead={text.page.lead} isWide>
      {can(routes.audit.list) ? <AuditLog /> : <Empty title={text.page.notAllowed}>{text.page.whomToAsk}</Empty>}
    </Page>
  );
}

function AuditLog() {
  const user = useUser();
  const project = useProject();
  const url = useUrlState();
  const { list, searchedTo, stats, state, filters, isAll, isNewestFirst, query, time } = useAuditLog();
  const names = useProjectNames(isAll);
  const nameOf = useClientNames();
  const columns = useMemo(() => createAuditColumns(names, nameOf), [names, nameOf]);
  const { frame, onScroll, showNew, rows, waiting } = useArrivals(list.rows, isNewestFirst);
  return (
    <Stack gap="md" miw={0}>
      <RecordBar query={query} project={isAll ? undefined : project.id}>
        <TimeControl time={time} />
        {user.is_owner && (
          <Switch
            label={text.log.allProjects}
            checked={isAll}
            onChange={(event) => url.set({ projects: event.currentTarget.checked ? 'all' : undefined }, 'push')}
          />
        )}
      </RecordBar>
      <Loaded query={stats} what={text.log.what} skeleton={<Skeleton height={STATS_PX} />}>
        {({ body }) => <StatsStrip stats={body} state={state} />}
      </Loaded>
      {searchedTo !== undefined && <SearchedTo at={searchedTo} list={list} />}
      <Stack
        gap="md"
        miw={0}
        ref={frame}
        onScrollCapture={(event) => onScroll((event.target as HTMLElement).scrollTop)}
      >
        <DataTable
          name={text.log.name}
          list={{ ...list, rows, total: stats.data?.body.total_entries ?? list.total }}
          state={state}
          columns={columns}
          filters={filters}
          rowId={(row) => row.id}
          searches={text.log.searches}
          actions={
            waiting > 0 && (
              <Button variant="light" onClick={showNew}>
                {text.log.showNew(waiting)}
              </Button>
            )
          }
          empty={<NothingInRange />}
        />
      </Stack>
      <EntryDrawer rows={rows} isAll={isAll} projectNames={names} />
    </Stack>
  );
}

function NothingInRange() {
  const url = useUrlState();
  return (
    <Empty
      title={text.log.emptyTitle}
      action={
        <Button variant="default" onClick={() => url.set({ range: 'all', from: undefined, to: undefined })}>
          {text.log.showAll}
        </Button>
      }
    >
      {text.log.empty}
    </Empty>
  );
}

type SearchedToProps = Pick<ReturnType<typeof useAuditLog>, 'list'> & { readonly at: string };

function SearchedTo({ at, list }: SearchedToProps) {
  return (
    <Notice tone="quiet" title={texts.searched.title(formatExact(at))}>
      <div>{texts.searched.why}</div>
      <Button variant="default" loading={list.query.isFetchingNextPage} onClick={list.loadMore}>
        {texts.searched.on}
      </Button>
    </Notice>
  );
}

/** Loads the names of all projects, for a list of entries of all projects. */
function useProjectNames(isAll: boolean): ReadonlyMap<string, string> | undefined {
  const projects = useApi(routes.project.list, { query: {} }, { enabled: isAll, topics: ['project'] });
  const items = projects.data?.body.items;
  return useMemo(() => (isAll ? new Map(items?.map(({ id, name }) => [id, name])) : undefined), [isAll, items]);
}

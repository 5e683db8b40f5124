import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMemo } from 'react';
import { routes, useApiList } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { DataTable, Empty, Page, UrlTabs, useTableState } from '../../ui/index.ts';
import { CLIENT_FILTERS, CLIENT_SEARCHES, createClientColumns } from './client-columns.tsx';
import { EnrolDrawer } from './enrol-drawer.tsx';
import { EnrolmentTokens } from './enrolment-tokens.tsx';
import { FleetClientList } from './fleet-client-list.tsx';
import { withSample } from './fresh-stats.ts';
import type { ClientRow } from './model.ts';
import { RolloutDrawer } from './rollout/rollout-drawer.tsx';
import { texts as rolloutTexts } from './rollout/rollout-texts.ts';
import { texts } from './texts.tsx';
import { useFreshStats } from './use-fresh-stats.ts';

const text = texts.clientsPage;

export function ClientsPage() {
  const can = useCan();
  const url = useUrlState();
  const canEnrol = can(routes.enrolment.createToken);
  const canRollOut = can(routes.commandRollout.start);
  const enrol = () => url.set({ enrol: 'new' }, 'push');
  return (
    <Page
      title={text.page.title}
      lead={text.page.lead}
      isWide
      actions={
        <>
          {canRollOut && (
            <Button variant="default" onClick={() => url.set({ rollout: 'new' }, 'push')}>
              {rolloutTexts.open}
            </Button>
          )}
          {canEnrol && (
            <Button leftSection={<IconPlus size={14} />} onClick={enrol}>
              {text.page.enrol}
            </Button>
          )}
        </>
      }
    >
      <UrlTabs
        label={text.page.tabs}
        tabs={[
          {
            id: 'clients',
            label: text.page.title,
            content: () =>
              can(routes.client.list) ? <ClientList onEnrol={canEnrol ? enrol : undefined} /> : <FleetClientList />,
          },
          ...(can(routes.enrolment.listTokens)
            ? [
                {
                  id: 'enrolment',
                  label: text.page.enrolmentTab,
                  content: () => <EnrolmentTokens onEnrol={enrol} />,
                },
              ]
            : []),
        ]}
      />
      {canEnrol && <EnrolDrawer />}
      {canRollOut && <RolloutDrawer />}
    </Page>
  );
}

function ClientList({ onEnrol }: { onEnrol: (() => void) | undefined }) {
  const project = useProject();
  const state = useTableState(CLIENT_FILTERS);
  const list = useApiList<ClientRow>(
    routes.client.list,
    { query: { project: project.id, with_service_ips: true, with_total: true, ...state.query } },
    { topics: ['client', 'service'] },
  );
  const samples = useFreshStats(project.id, list.rows);
  const columns = useMemo(() => createClientColumns(project.name), [project.name]);
  const rows = useMemo(
    () => (samples.size === 0 ? list.rows : list.rows.map((row) => withSample(row, samples.get(row.client_id)))),
    [list.rows, samples],
  );
  return (
    <DataTable
      name={text.list.name}
      list={{ ...list, rows }}
      state={state}
      columns={columns}
      rowId={(row) => row.client_id}
      filters={CLIENT_FILTERS}
      searches={CLIENT_SEARCHES}
      empty={
        <Empty
          title={text.list.emptyTitle}
          action={onEnrol && <Button onClick={onEnrol}>{text.list.enrolFirst}</Button>}
        >
          {text.list.empty}
        </Empty>
      }
    />
  );
}

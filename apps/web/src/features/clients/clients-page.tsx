import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMemo } from 'react';
import { routes, useApiList } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { DataTable, Empty, Page, UrlTabs, useTableState } from '../../ui/index.ts';
import { CLIENT_FILTERS, CLIENT_SEARCHES, createClientColumns } from './client-columns.tsx';
import classes from './clients.module.css';
import { EnrolDrawer } from './enrol-drawer.tsx';
import { EnrolmentTokens } from './enrolment-tokens.tsx';
import { withSample } from './fresh-stats.ts';
import type { ClientRow } from './model.ts';
import { useFreshStats } from './use-fresh-stats.ts';

export function ClientsPage() {
  const can = useCan();
  const url = useUrlState();
  const canEnrol = can(routes.enrolment.createToken);
  if (!can(routes.client.list))
    return (
      <Page title="Clients">
        <Empty title="Clients are for owners and admins of the project">
          Ask one of them for the role admin, if you need to see the hosts of the fleet.
        </Empty>
      </Page>
    );
  const enrol = () => url.set({ enrol: 'new' }, 'push');
  return (
    <Page
      title="Clients"
      lead="The hosts of the fleet: on each an agent runs the proxies and keeps them at what was configured."
      isWide
      actions={
        canEnrol && (
          <Button leftSection={<IconPlus size={14} />} onClick={enrol}>
            Enrol a client
          </Button>
        )
      }
    >
      <UrlTabs
        label="Clients and their enrolment"
        tabs={[
          { id: 'clients', label: 'Clients', content: () => <ClientList onEnrol={canEnrol ? enrol : undefined} /> },
          ...(can(routes.enrolment.listTokens)
            ? [{ id: 'enrolment', label: 'Enrolment tokens', content: () => <EnrolmentTokens onEnrol={enrol} /> }]
            : []),
        ]}
      />
      {canEnrol && <EnrolDrawer />}
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
    <div className={classes.list}>
      <DataTable
        name="clients"
        list={{ ...list, rows }}
        state={state}
        columns={columns}
        rowId={(row) => row.client_id}
        filters={CLIENT_FILTERS}
        searches={CLIENT_SEARCHES}
        empty={
          <Empty title="No client yet" action={onEnrol && <Button onClick={onEnrol}>Enrol the first client</Button>}>
            A client is a host that runs your proxies. It joins by one command that you run on it; services can then be
            deployed to it.
          </Empty>
        }
      />
    </div>
  );
}

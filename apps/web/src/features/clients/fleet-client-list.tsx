import { useMemo } from 'react';
import { routes, useApiList } from '../../api/index.ts';
import { ServiceLink } from '../../app/links.tsx';
import { useProject } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { type Column, DataTable, Empty, useTableState } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { CLIENT_FILTERS, createConnectionColumns } from './client-columns.tsx';
import type { FleetClientRow } from './model.ts';

const text = texts.clients.fleetClientList;

const NAMED = 3;

/** Clients as every member of the project may see them. */
export function FleetClientList() {
  const project = useProject();
  const state = useTableState(CLIENT_FILTERS);
  const list = useApiList<FleetClientRow>(
    routes.fleet.clients,
    { query: { project: project.id, with_total: true, ...state.query } },
    { topics: ['client', 'service'] },
  );
  const columns = useMemo(() => {
    const { name, status, lastSeen } = createConnectionColumns<FleetClientRow>(project.name);
    return [name, status, SERVICES, lastSeen];
  }, [project.name]);
  return (
    <div className={layout.stack}>
      <DataTable
        name={texts.clients.clientsPage.list.name}
        list={list}
        state={state}
        columns={columns}
        rowId={(row) => row.client_id}
        filters={CLIENT_FILTERS}
        searches={text.searches}
        empty={
          <Empty title={texts.clients.clientsPage.list.emptyTitle}>{texts.clients.clientsPage.list.whoEnrols}</Empty>
        }
      />
    </div>
  );
}

const SERVICES: Column<FleetClientRow> = {
  id: 'services',
  header: text.services,
  width: '2fr',
  minWidth: 120,
  cell: ({ services }) => {
    if (services.length === 0) return '–';
    const named = services.slice(0, NAMED);
    return (
      <>
        {named.map(({ id, name }, index) => (
          <span key={id}>
            {index > 0 && ', '}
            <ServiceLink id={id} name={name} />
          </span>
        ))}
        {services.length > NAMED && text.andMore(services.length - NAMED)}
      </>
    );
  },
  text: ({ services }) => services.map(({ name }) => name).join(' '),
};

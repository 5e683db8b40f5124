import { useMemo } from 'react';
import { routes } from '../../api/index.ts';
import { ServiceLink } from '../../app/links.tsx';
import { useProject } from '../../app/project.tsx';
import { ApiTable, type Column } from '../../ui/index.ts';
import { CLIENT_FILTERS, createConnectionColumns } from './client-columns.tsx';
import { texts } from './client-texts.tsx';
import type { FleetClientRow } from './model.ts';
import { texts as clientsTexts } from './texts.tsx';

const text = texts.fleetClientList;
const { list } = clientsTexts.clientsPage;

const NAMED = 3;

/** Lists clients with the columns that every member of the project may see. */
export function FleetClientList() {
  const project = useProject();
  const columns = useMemo(() => {
    const { name, status, lastSeen } = createConnectionColumns<FleetClientRow>(project.name);
    return [name, status, SERVICES, lastSeen];
  }, [project.name]);
  return (
    <ApiTable<FleetClientRow>
      words={{ name: list.name, searches: text.searches, empty: { title: list.emptyTitle, text: list.whoEnrols } }}
      route={routes.fleet.clients}
      query={{ with_total: true }}
      topics={['client', 'service']}
      columns={columns}
      rowId={(row) => row.client_id}
      filters={CLIENT_FILTERS}
    />
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

import { mayCommand, type NetworkState, readNetworkState } from '@flotilla/contract';
import { Button, Text } from '@mantine/core';
import { useProject } from '../../../app/project.tsx';
import { Loaded, Notice, type PlainColumn, PlainTable, Section } from '../../../ui/index.ts';
import classes from '../client.module.css';
import type { Client } from '../model.ts';
import { NetplanPart } from './netplan-part.tsx';
import { PoliciesPart, RoutesPart, TablesPart } from './routing-parts.tsx';
import { texts } from './texts.ts';
import { useNetworkRead } from './use-network.ts';

/** The network of the host: interfaces, routes, policies, tables and the managed netplan document. */
export function ClientNetwork({ client }: { client: Client }) {
  if (!client.connected)
    return (
      <Notice tone="quiet" title={texts.offline}>
        {texts.offlineText}
      </Notice>
    );
  return <Network clientId={client.client_id} />;
}

function Network({ clientId }: { clientId: string }) {
  const query = useNetworkRead(clientId, 'SUB_GET_NETWORK_STATE');
  const mayChange = mayCommand(useProject().role, 'NETWORK SUB_ROUTE_MANAGE');
  const refresh = (
    <Button variant="default" size="compact-xs" loading={query.isFetching} onClick={() => void query.refetch()}>
      {texts.refresh}
    </Button>
  );
  return (
    <Loaded query={query} what={texts.what} skeleton={8}>
      {({ body }) => {
        const [result] = body.results;
        const state = result?.outcome === 'done' ? readNetworkState(result.result) : undefined;
        if (!state) {
          const isUnknown = result?.outcome === 'done';
          return (
            <Notice tone="bad" title={texts.failed}>
              <Text mb="xs">{isUnknown ? texts.unknownForm : (result?.error?.message ?? texts.noAnswer)}</Text>
              {refresh}
            </Notice>
          );
        }
        const place = { clientId, state, mayChange };
        return (
          <div className={classes.stack}>
            <div>{refresh}</div>
            <Interfaces state={state} />
            <RoutesPart {...place} />
            <PoliciesPart {...place} />
            <TablesPart {...place} />
            <NetplanPart {...place} />
          </div>
        );
      }}
    </Loaded>
  );
}

type Interface = NetworkState['interfaces'][number];

const words = texts.interfaces;
const COLUMNS: readonly PlainColumn<Interface>[] = [
  { id: 'name', header: words.name, isNarrow: true, cell: ({ name }) => <bdi className="mono">{name}</bdi> },
  { id: 'kind', header: words.kind, cell: ({ kind }) => kind },
  { id: 'state', header: words.state, isNarrow: true, cell: ({ state }) => (state === 'up' ? words.up : words.down) },
  { id: 'carrier', header: words.carrier, cell: (one) => (one.has_carrier ? texts.yes : texts.no) },
  { id: 'mtu', header: words.mtu, align: 'right', cell: ({ mtu }) => mtu },
  { id: 'mac', header: words.mac, cell: (one) => <span className="mono">{one.mac_address}</span> },
  {
    id: 'addresses',
    header: words.addresses,
    isNarrow: true,
    cell: ({ addresses }) => <span className="mono">{addresses.join(', ') || texts.none}</span>,
  },
];

function Interfaces({ state: { interfaces } }: { state: NetworkState }) {
  return (
    <Section title={words.title}>
      <PlainTable name={words.list} rows={interfaces} columns={COLUMNS} rowId={({ name }) => name} />
    </Section>
  );
}

import { type BgpRoute, readBgpRoutes, readBgpSessions } from '@flotilla/contract';
import { SegmentedControl, Select } from '@mantine/core';
import { useState } from 'react';
import { Empty, type PlainColumn, PlainTable } from '../../../ui/index.ts';
import classes from '../client.module.css';
import type { Client } from '../model.ts';
import { Answer } from './answer.tsx';
import { texts } from './texts.ts';
import { useRouting } from './use-routing.ts';

const text = texts.routes;
const COUNT = 500;
const ALL = 'all';
const FAMILIES = [
  { value: 'ipv4', label: 'IPv4' },
  { value: 'ipv6', label: 'IPv6' },
];

const COLUMNS: readonly PlainColumn<BgpRoute>[] = [
  {
    id: 'network',
    header: text.network,
    isNarrow: true,
    cell: ({ network }) => <span className="mono">{network}</span>,
  },
  { id: 'best', header: text.best, cell: ({ isBest }) => (isBest ? text.yes : '') },
  {
    id: 'hop',
    header: text.nextHop,
    isNarrow: true,
    cell: ({ nextHops }) => <span className="mono">{nextHops[0]}</span>,
  },
  { id: 'metric', header: text.metric, align: 'right', cell: ({ metric }) => metric },
  { id: 'preference', header: text.preference, align: 'right', cell: ({ localPreference }) => localPreference },
  { id: 'path', header: text.asPath, cell: ({ asPath }) => asPath },
  { id: 'origin', header: text.origin, cell: ({ origin }) => origin },
];

export function RoutesPart({ client }: { client: Client }) {
  const [family, setFamily] = useState('ipv4');
  const [which, setWhich] = useState(ALL);
  const [direction, peer] = which.split(' ');
  const command = { family, count: COUNT, ...(peer !== undefined && { peer_ip: peer, direction }) };
  const query = useRouting(client.client_id, 'BGP_SHOW_ROUTES', { command });
  return (
    <>
      <div className={classes.bar}>
        <WhichSelect client={client} value={which} onChange={setWhich} />
        <SegmentedControl size="xs" aria-label={text.family} data={FAMILIES} value={family} onChange={setFamily} />
      </div>
      <Answer query={query} what={text.what} read={readBgpRoutes}>
        {({ total, paths }) =>
          total === 0 ? (
            <Empty title={text.emptyTitle}>{text.empty}</Empty>
          ) : (
            <>
              <span className={classes.dimmed} role="status">
                {text.shown(new Set(paths.map(({ network }) => network)).size, total)}
              </span>
              <PlainTable name={text.list} rows={toRows(paths)} columns={COLUMNS} rowId={({ id }) => id} />
            </>
          )
        }
      </Answer>
    </>
  );
}

function toRows(paths: readonly BgpRoute[]) {
  return paths.map((path, i) => ({ ...path, id: String(i) }));
}

interface WhichSelectProps {
  readonly client: Client;
  readonly value: string;
  readonly onChange: (which: string) => void;
}

/** Offers the table of routes, and the routes of each neighbour in each direction. */
function WhichSelect({ client, value, onChange }: WhichSelectProps) {
  const query = useRouting(client.client_id, 'BGP_LIST_NEIGHBORS');
  const sessions = readBgpSessions(query.data?.body.results[0]?.result) ?? [];
  const data = [
    { value: ALL, label: text.all },
    ...sessions.flatMap(({ peerIp }) => [
      { value: `received ${peerIp}`, label: text.receivedFrom(peerIp) },
      { value: `advertised ${peerIp}`, label: text.advertisedTo(peerIp) },
    ]),
  ];
  return (
    <Select
      size="xs"
      w={300}
      aria-label={text.which}
      data={data}
      value={value}
      allowDeselect={false}
      onChange={(next) => onChange(next ?? ALL)}
    />
  );
}

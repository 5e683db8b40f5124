import type { ReactNode } from 'react';
import type { PlainColumn } from '../../../ui/index.ts';
import { countryName } from '../countries.ts';
import { EventsLink } from '../events-link.tsx';
import { texts } from '../texts.tsx';
import { formatPercent } from './parts-bar.tsx';
import { TopTable } from './top-table.tsx';

const text = texts.groups;

interface Group {
  /** As the filter of the requests takes it. */
  readonly value: string;
  /** The name for people, if there is one besides the value. */
  readonly label: string | null;
  readonly requests: number;
}

/** How the values of a column are shown, and the filter of the requests that has them. */
export interface Grouping {
  readonly title: string;
  readonly header: string;
  readonly filter: string;
  readonly nameOf?: (group: Group) => string;
}

const schemes: Readonly<Record<string, string>> = texts.schemes;
const agents: Readonly<Record<string, string>> = texts.agentKinds;

export const GROUPINGS = {
  countries: {
    title: text.countries,
    header: text.country,
    filter: 'country',
    nameOf: ({ value }) => (value === '' ? text.unknownCountry : countryName(value)),
  },
  networks: {
    title: text.networks,
    header: text.network,
    filter: 'asn',
    nameOf: ({ value, label }) =>
      label === null || label === value ? text.networkNumber(value) : text.networkOf(label, value),
  },
  agents: {
    title: text.agents,
    header: text.agent,
    filter: 'agent_kind',
    nameOf: ({ value }) => agents[value] ?? value,
  },
  schemes: {
    title: text.schemes,
    header: text.scheme,
    filter: 'auth_scheme',
    nameOf: ({ value }) => schemes[value] ?? value,
  },
  methods: { title: text.methods, header: text.method, filter: 'method' },
  statuses: {
    title: text.statuses,
    header: text.status,
    filter: 'status',
    nameOf: ({ value }) => (value === '0' ? text.noResponse : value),
  },
  sources: { title: text.sources, header: text.source, filter: 'source' },
  threats: { title: text.threats, header: text.source, filter: 'source' },
  protocols: { title: text.protocols, header: text.protocol, filter: 'protocol' },
  tls: {
    title: text.tlsVersions,
    header: text.tlsVersion,
    filter: 'tls_version',
    nameOf: ({ value }) => (value === '' ? text.noTls : value),
  },
} as const satisfies Readonly<Record<string, Grouping>>;

interface GroupTableProps {
  readonly by: keyof typeof GROUPINGS;
  readonly groups: readonly Group[];
  /** Requests of all groups, listed here or not. */
  readonly total: number;
  /** Filters and time range of what is counted here. */
  readonly search: Readonly<Record<string, string>>;
  readonly note?: string | undefined;
}

/** Requests by one value, each with the way to these requests. */
export function GroupTable({ by, groups, total, search, note }: GroupTableProps) {
  const { title, header, filter, nameOf = nameByValue }: Grouping = GROUPINGS[by];
  const link = (group: Group): ReactNode => {
    const name = <bdi>{nameOf(group)}</bdi>;
    // The URL cannot say that a filter has the empty value.
    return group.value === '' ? name : <EventsLink search={{ ...search, [filter]: group.value }}>{name}</EventsLink>;
  };
  const share: PlainColumn<Group> = {
    id: 'share',
    header: text.share,
    align: 'right',
    isNarrow: true,
    cell: ({ requests }) => formatPercent(requests / Math.max(1, total)),
  };
  return (
    <TopTable
      title={title}
      rows={groups}
      rowId={({ value }) => value}
      name={{ header, cell: link }}
      requests={text.requests}
      further={[share]}
      none={text.none}
      note={note}
    />
  );
}

const nameByValue = ({ value }: Group) => value;

import type { EndpointProblemRecord } from '@flotilla/contract';
import { Text } from '@mantine/core';
import { routes, useApi } from '../../api/index.ts';
import { ClientLink, ServiceLink } from '../../app/links.tsx';
import { useProject } from '../../app/project.tsx';
import { Duration, Loaded, type PlainColumn, PlainTable, Section, StateShape } from '../../ui/index.ts';
import { texts } from './texts.tsx';

const text = texts.problems;

const REFRESH_MS = 10_000;
const SHOWN = 50;

const COLUMNS: readonly PlainColumn<EndpointProblemRecord>[] = [
  {
    id: 'address',
    header: text.endpoint,
    isNarrow: true,
    cell: ({ address }) => (
      <>
        <StateShape tone="warn" shape="triangle" /> <bdi className="mono">{address}</bdi>
      </>
    ),
  },
  { id: 'cluster', header: text.cluster, isNarrow: true, cell: ({ cluster }) => <bdi className="mono">{cluster}</bdi> },
  {
    id: 'reason',
    header: text.reason,
    isNarrow: true,
    cell: ({ reasons }) => reasons.map((reason) => text.reasons[reason] ?? reason.replaceAll('_', ' ')).join(', '),
  },
  { id: 'service', header: text.service, cell: (row) => <ServiceLink id={row.service_id} name={row.service_name} /> },
  { id: 'client', header: text.client, cell: (row) => <ClientLink id={row.client_id} name={row.client_name} /> },
  { id: 'since', header: text.since, cell: ({ since }) => <Duration since={since} /> },
];

interface EndpointProblemsProps {
  readonly serviceId?: string;
  readonly clientId?: string;
  readonly cluster?: string;
}

/** Lists the endpoints that Envoy considers unhealthy, with the reason. */
export function EndpointProblems({ serviceId, clientId, cluster }: EndpointProblemsProps) {
  const project = useProject();
  const query = useApi(
    routes.traffic.endpoints,
    {
      query: {
        project: project.id,
        limit: SHOWN,
        with_total: 'true',
        ...(serviceId !== undefined && { service_id: [serviceId] }),
        ...(clientId !== undefined && { client_id: [clientId] }),
        ...(cluster !== undefined && { cluster: [cluster] }),
      },
    },
    { topics: ['node', 'service'], refetchEveryMs: () => REFRESH_MS },
  );
  return (
    <Section title={text.title}>
      <Loaded query={query} what={text.what} skeleton={2}>
        {({ body }) => {
          const left = Math.max(0, (body.total ?? body.items.length) - body.items.length) + body.omitted;
          if (body.items.length === 0)
            return (
              <Text size="sm" c="dimmed">
                {text.none}
              </Text>
            );
          return (
            <>
              <PlainTable
                name={text.title}
                rows={body.items}
                columns={serviceId === undefined ? COLUMNS : COLUMNS.filter(({ id }) => id !== 'service')}
                rowId={(row) => `${row.service_id} ${row.client_id} ${row.cluster} ${row.address}`}
              />
              {left > 0 && (
                <Text size="sm" c="dimmed">
                  {text.omitted(left)}
                </Text>
              )}
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

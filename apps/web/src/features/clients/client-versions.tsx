import { Button, Table, Text } from '@mantine/core';
import { routes, useApi } from '../../api/index.ts';
import { ServiceLink } from '../../app/links.tsx';
import { useProject } from '../../app/project.tsx';
import { Empty, Loaded, Notice, Section } from '../../ui/index.ts';
import classes from './client.module.css';
import type { Client } from './model.ts';
import { readVersions } from './versions.ts';

const WAIT_MS = 15_000;

/** Envoy on the host: what is there, and what runs. The agent is asked when this opens. */
export function ClientVersions({ client }: { client: Client }) {
  return (
    <div className={classes.stack}>
      <Section title="Installed on the host">
        {client.connected ? (
          <Installed client={client} />
        ) : (
          <Notice tone="quiet" title="The client is offline: there is nobody to ask">
            It can be told when its agent is back.
          </Notice>
        )}
      </Section>
      <Section title="Run by services">
        <Running client={client} />
      </Section>
    </div>
  );
}

function Installed({ client }: { client: Client }) {
  const project = useProject();
  const query = useApi(routes.command.dispatch, {
    query: { project: project.id, wait_ms: WAIT_MS },
    body: {
      type: 'DATAPLANE_VERSION',
      clients: [{ client_id: client.client_id }],
      command: { operation: 'GET_VERSIONS' },
    },
  });
  return (
    <Loaded query={query} what="The versions" skeleton={3}>
      {({ body }) => {
        const result = body.results[0];
        const ask = (
          <Button variant="default" size="compact-xs" loading={query.isFetching} onClick={() => void query.refetch()}>
            Ask again
          </Button>
        );
        if (result?.outcome !== 'done')
          return (
            <Notice tone="bad" title="The agent did not tell the versions">
              <Text mb="xs">{result?.error?.message ?? 'It did not answer in time.'}</Text>
              {ask}
            </Notice>
          );
        const versions = readVersions(result.result);
        if (versions.length === 0)
          return (
            <Empty title="No Envoy is installed" action={ask}>
              The agent fetches a version when a service that needs it is deployed here.
            </Empty>
          );
        return (
          <>
            <Table.ScrollContainer
              minWidth={520}
              type="native"
              tabIndex={0}
              role="group"
              aria-label="Installed Envoy versions"
            >
              <Table aria-label="Envoy versions" verticalSpacing={6}>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Version</Table.Th>
                    <Table.Th>From</Table.Th>
                    <Table.Th>Binary</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {versions.map(({ version, source, path }) => (
                    <Table.Tr key={path}>
                      <Table.Td className="mono">{version}</Table.Td>
                      <Table.Td>{source}</Table.Td>
                      <Table.Td className="mono">{path}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
            <div>{ask}</div>
          </>
        );
      }}
    </Loaded>
  );
}

function Running({ client }: { client: Client }) {
  if (client.services.length === 0) return <span className={classes.dimmed}>No service is on this client.</span>;
  return (
    <Table aria-label="Envoy versions that services run" verticalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Service</Table.Th>
          <Table.Th>Configured for</Table.Th>
          <Table.Th>Runs here</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {client.services.map(({ id, name, version, envoy_version }) => (
          <Table.Tr key={id}>
            <Table.Td className={classes.name}>
              <ServiceLink id={id} name={name} />
            </Table.Td>
            <Table.Td className="mono">{version}</Table.Td>
            <Table.Td className="mono">{envoy_version || '–'}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

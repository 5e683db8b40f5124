import { Button, Table, Text } from '@mantine/core';
import { routes, useApi } from '../../api/index.ts';
import { ServiceLink } from '../../app/links.tsx';
import { useProject } from '../../app/project.tsx';
import { Empty, Loaded, Notice, Section } from '../../ui/index.ts';
import classes from './client.module.css';
import { texts } from './client-texts.tsx';
import type { Client } from './model.ts';
import { readVersions } from './versions.ts';

const text = texts.clientVersions;

const WAIT_MS = 15_000;

/** Lists installed and running Envoy versions of the host. Queries the agent when it opens. */
export function ClientVersions({ client }: { client: Client }) {
  return (
    <div className={classes.stack}>
      <Section title={text.versions.installed}>
        {client.connected ? (
          <Installed client={client} />
        ) : (
          <Notice tone="quiet" title={text.versions.offline}>
            {text.versions.offlineText}
          </Notice>
        )}
      </Section>
      <Section title={text.versions.running}>
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
    <Loaded query={query} what={text.installed.what} skeleton={3}>
      {({ body }) => {
        const result = body.results[0];
        const ask = (
          <Button variant="default" size="compact-xs" loading={query.isFetching} onClick={() => void query.refetch()}>
            {text.installed.askAgain}
          </Button>
        );
        if (result?.outcome !== 'done')
          return (
            <Notice tone="bad" title={text.installed.failed}>
              <Text mb="xs">{result?.error?.message ?? text.installed.noAnswer}</Text>
              {ask}
            </Notice>
          );
        const versions = readVersions(result.result);
        if (versions.length === 0)
          return (
            <Empty title={text.installed.emptyTitle} action={ask}>
              {text.installed.empty}
            </Empty>
          );
        return (
          <>
            <InstalledTable versions={versions} />
            <div>{ask}</div>
          </>
        );
      }}
    </Loaded>
  );
}

function InstalledTable({ versions }: { versions: ReturnType<typeof readVersions> }) {
  return (
    <Table.ScrollContainer minWidth={520} type="native" tabIndex={0} role="group" aria-label={text.installed.list}>
      <Table aria-label={text.installed.table} verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.installed.version}</Table.Th>
            <Table.Th>{text.installed.from}</Table.Th>
            <Table.Th>{text.installed.binary}</Table.Th>
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
  );
}

function Running({ client }: { client: Client }) {
  if (client.services.length === 0) return <span className={classes.dimmed}>{text.running.none}</span>;
  return (
    <Table aria-label={text.running.table} verticalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{text.running.service}</Table.Th>
          <Table.Th>{text.running.configured}</Table.Th>
          <Table.Th>{text.running.runsHere}</Table.Th>
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

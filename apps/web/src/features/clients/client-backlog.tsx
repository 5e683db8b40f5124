import { Table } from '@mantine/core';
import { formatBytes, Section, Time } from '../../ui/index.ts';
import classes from './client.module.css';
import { texts } from './client-texts.tsx';
import { listBacklogs } from './host-sample.ts';
import type { WholeClient } from './model.ts';

const text = texts.clientBacklog;

/** Requests that wait on the disk of the host until the controller has stored them. Nothing for a host that records none. */
export function ClientBacklog({ client }: { client: WholeClient }) {
  const backlogs = listBacklogs(client.stats);
  const names = new Map(client.services.map(({ id, name }) => [id, name]));
  if (!client.usage || backlogs.length === 0) return null;
  return (
    <Section title={text.title} actions={<Time at={client.usage.at} />}>
      <p className={classes.dimmed}>{text.hint}</p>
      <Table aria-label={text.title} verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.service}</Table.Th>
            <Table.Th ta="right">{text.batches}</Table.Th>
            <Table.Th ta="right">{text.bytes}</Table.Th>
            <Table.Th>{text.oldest}</Table.Th>
            <Table.Th ta="right">{text.dropped}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {backlogs.map(({ serviceId, batches, bytes, oldestAt, dropped }) => (
            <Table.Tr key={serviceId}>
              <Table.Td className={classes.name}>
                <bdi>{names.get(serviceId) ?? serviceId}</bdi>
              </Table.Td>
              <Table.Td ta="right">{batches}</Table.Td>
              <Table.Td ta="right">{formatBytes(bytes)}</Table.Td>
              <Table.Td>{oldestAt === null ? '–' : <Time at={oldestAt} />}</Table.Td>
              <Table.Td ta="right">{dropped}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  );
}

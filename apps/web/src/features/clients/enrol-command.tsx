import { Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { CommandLine, Facts, Notice, State, useNow } from '../../ui/index.ts';
import { followEnrolment, formatLeft } from './enrolment.ts';
import type { CreatedToken } from './model.ts';

/** Tokens that are looked through: newer ones than the own are few. */
const LISTED_MAX = 200;

/** The command of a new token, and whether a host has run it. */
export function EnrolCommand({ created, onAgain }: { created: CreatedToken; onAgain: () => void }) {
  return (
    <Stack gap="md">
      <Text>Run this on the host:</Text>
      <CommandLine text={created.command} what="command" />
      <Notice tone="warn" title="Shown only now">
        Only a hash of the token is kept: when this is closed, nobody can show the command again. Whoever has it can
        join one host to the project until it expires.
      </Notice>
      <Text size="sm" c="dimmed">
        The client is called as its host; add <span className="mono">--name NAME</span> for another name. The command
        runs the agent in the foreground until Ctrl-C; the token is needed for the first start only.
      </Text>
      <Progress created={created} onAgain={onAgain} />
      <Facts
        facts={[
          [
            'Agents dial',
            <span key="c" className="mono">
              {created.controller}
            </span>,
          ],
          [
            'Authority (SHA-256)',
            <span key="f" className="mono">
              {created.ca_fingerprint}
            </span>,
          ],
        ]}
      />
    </Stack>
  );
}

function Progress({ created, onAgain }: { created: CreatedToken; onAgain: () => void }) {
  const project = useProject();
  const now = useNow(1000);
  const [createdAtMs] = useState(Date.now);
  const tokens = useApi(
    routes.enrolment.listTokens,
    { query: { project: project.id, limit: LISTED_MAX } },
    { topics: ['enrolment_token', 'client'] },
  );
  // An older answer does not know the token yet.
  const listed = tokens.dataUpdatedAt > createdAtMs ? tokens.data?.body.items : undefined;
  const enrolment = followEnrolment(created, listed, now);
  const again = (
    <Button variant="default" onClick={onAgain}>
      Create another token
    </Button>
  );
  switch (enrolment.phase) {
    case 'joined':
      return <Joined clientId={enrolment.clientId} again={again} />;
    case 'expired':
      return (
        <Notice tone="bad" title="The token has expired">
          <Text mb="xs">No host has joined with it in time.</Text>
          {again}
        </Notice>
      );
    case 'withdrawn':
      return (
        <Notice tone="bad" title="The token was withdrawn">
          <Text mb="xs">No host can join with it any more.</Text>
          {again}
        </Notice>
      );
    case 'waiting':
      return (
        <Group justify="space-between" gap="xs">
          <span role="status">
            <State word="Waiting for the host" tone="busy" shape="arc" />
          </span>
          <Text component="span" role="timer" c="dimmed" size="sm">
            Expires in {formatLeft(enrolment.leftMs)}
          </Text>
        </Group>
      );
  }
}

function Joined({ clientId, again }: { clientId: string; again: React.ReactNode }) {
  const project = useProject();
  const client = useApi(
    routes.client.read,
    { params: { client_id: clientId }, query: { project: project.id } },
    { topics: ['client'] },
  );
  const { name, connected } = client.data?.body ?? {};
  return (
    <Notice tone="good" title={connected ? 'The client is connected' : 'The host has joined'}>
      <Text mb="xs">
        {connected ? 'Services can be deployed to it now.' : 'Its agent has a certificate and is about to connect.'}
      </Text>
      <Group gap="xs">
        <Button
          variant="filled"
          renderRoot={(props) => (
            <Link to="/p/$project/clients/$clientId" params={{ project: project.name, clientId }} {...props} />
          )}
        >
          Open <bdi>&nbsp;{name ?? 'the client'}</bdi>
        </Button>
        {again}
      </Group>
    </Notice>
  );
}

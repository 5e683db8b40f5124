import { Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { CommandLine, Facts, Notice, State, useNow } from '../../ui/index.ts';
import { followEnrolment, formatLeft } from './enrolment.ts';
import type { CreatedToken } from './model.ts';

const text = texts.clients.enrolCommand;

/** Tokens that are looked through: newer ones than the own are few. */
const LISTED_MAX = 200;

/** The command of a new token, and whether a host has run it. */
export function EnrolCommand({ created, onAgain }: { created: CreatedToken; onAgain: () => void }) {
  return (
    <Stack gap="md">
      <Text>{text.enrolCommand.text}</Text>
      <CommandLine text={created.command} what={text.enrolCommand.what} />
      <Notice tone="warn" title={text.enrolCommand.title}>
        {text.enrolCommand.notice}
      </Notice>
      <Text size="sm" c="dimmed">
        {text.enrolCommand.textClientCalled(<span className="mono">{text.enrolCommand.textNameName}</span>)}
      </Text>
      <Progress created={created} onAgain={onAgain} />
      <Facts
        facts={[
          [
            text.enrolCommand.factAgentsDial,
            <span key="c" className="mono">
              {created.controller}
            </span>,
          ],
          [
            text.enrolCommand.factAuthoritySha,
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
      {text.progress.button}
    </Button>
  );
  switch (enrolment.phase) {
    case 'joined':
      return <Joined clientId={enrolment.clientId} again={again} />;
    case 'expired':
      return (
        <Notice tone="bad" title={text.progress.title}>
          <Text mb="xs">{text.progress.text}</Text>
          {again}
        </Notice>
      );
    case 'withdrawn':
      return (
        <Notice tone="bad" title={text.progress.titleTokenWithdrawn}>
          <Text mb="xs">{text.progress.textNoHost}</Text>
          {again}
        </Notice>
      );
    case 'waiting':
      return (
        <Group justify="space-between" gap="xs">
          <span role="status">
            <State word={text.progress.word} tone="busy" shape="arc" />
          </span>
          <Text component="span" role="timer" c="dimmed" size="sm">
            {text.progress.textExpires(formatLeft(enrolment.leftMs))}
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
    <Notice tone="good" title={connected ? text.joined.titleClientConnected : text.joined.titleHostJoined}>
      <Text mb="xs">{connected ? text.joined.textServicesCan : text.joined.textAgentCertificate}</Text>
      <Group gap="xs">
        <Button
          variant="filled"
          renderRoot={(props) => (
            <Link to="/p/$project/clients/$clientId" params={{ project: project.name, clientId }} {...props} />
          )}
        >
          {text.joined.button(<bdi>{text.joined.text(name ?? text.joined.textClient)}</bdi>)}
        </Button>
        {again}
      </Group>
    </Notice>
  );
}

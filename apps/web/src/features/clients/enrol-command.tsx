import { Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { routes, useApi, useApiList } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { CommandLine, Facts, Notice, State, useNow } from '../../ui/index.ts';
import { followEnrolment, formatLeft } from './enrolment.ts';
import { texts } from './enrolment-texts.tsx';
import type { CreatedToken, EnrolmentToken } from './model.ts';
import { useListedToken } from './use-listed-token.ts';

const text = texts.enrolCommand;

/** Shows the command of a new token, and whether a host has used it. */
export function EnrolCommand({ created, onAgain }: { created: CreatedToken; onAgain: () => void }) {
  return (
    <Stack gap="md">
      <Text>{text.command.run}</Text>
      <CommandLine text={created.command} what={text.command.copied} />
      <Notice tone="warn" title={text.command.title}>
        {text.command.shownOnce}
      </Notice>
      <Text size="sm" c="dimmed">
        {text.command.naming(<span className="mono">{text.command.nameOption}</span>)}
      </Text>
      <Progress created={created} onAgain={onAgain} />
      <Facts
        facts={[
          [
            text.command.agentsDial,
            <span key="c" className="mono">
              {created.controller}
            </span>,
          ],
          [
            text.command.authority,
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
  // Notes rarely repeat, so searching by note finds an old token without reading all newer ones.
  const narrowed = created.note ? { q: created.note } : {};
  const tokens = useApiList<EnrolmentToken>(
    routes.enrolment.listTokens,
    { query: { project: project.id, ...narrowed } },
    { topics: ['enrolment_token', 'client'] },
  );
  // An answer from before the creation does not contain the token yet.
  const enrolment = followEnrolment(created, useListedToken(tokens, created.id, createdAtMs), now);
  const again = (
    <Button variant="default" onClick={onAgain}>
      {text.progress.createAnother}
    </Button>
  );
  switch (enrolment.phase) {
    case 'joined':
      return <Joined clientId={enrolment.clientId} again={again} />;
    case 'expired':
      return (
        <Notice tone="bad" title={text.progress.expired}>
          <Text mb="xs">{text.progress.expiredText}</Text>
          {again}
        </Notice>
      );
    case 'withdrawn':
      return (
        <Notice tone="bad" title={text.progress.withdrawn}>
          <Text mb="xs">{text.progress.withdrawnText}</Text>
          {again}
        </Notice>
      );
    case 'waiting':
      return (
        <Group justify="space-between" gap="xs">
          <span role="status">
            <State word={text.progress.waiting} tone="busy" shape="arc" />
          </span>
          <Text component="span" role="timer" c="dimmed" size="sm">
            {text.progress.expiresIn(formatLeft(enrolment.leftMs))}
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
    <Notice tone="good" title={connected ? text.joined.connected : text.joined.joined}>
      <Text mb="xs">{connected ? text.joined.connectedText : text.joined.joinedText}</Text>
      <Group gap="xs">
        <Button
          variant="filled"
          renderRoot={(props) => (
            <Link to="/p/$project/clients/$clientId" params={{ project: project.name, clientId }} {...props} />
          )}
        >
          {text.joined.open(<bdi>{text.joined.client(name ?? text.joined.theClient)}</bdi>)}
        </Button>
        {again}
      </Group>
    </Notice>
  );
}

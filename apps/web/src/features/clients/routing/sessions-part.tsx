import { type BgpSession, mayCommand, readBgpSessions } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useProject } from '../../../app/project.tsx';
import { Confirm, Empty, type PlainColumn, PlainTable, State, sayDone } from '../../../ui/index.ts';
import { formatDuration } from '../command-names.ts';
import type { Client } from '../model.ts';
import { Answer } from './answer.tsx';
import { texts } from './texts.ts';
import { useRouting, useRoutingCall } from './use-routing.ts';

const text = texts.sessions;
const EVERY_MS = 10_000;

const COLUMNS: readonly PlainColumn<BgpSession>[] = [
  {
    id: 'neighbour',
    header: text.neighbour,
    isNarrow: true,
    cell: ({ peerIp }) => <span className="mono">{peerIp}</span>,
  },
  { id: 'as', header: text.as, align: 'right', cell: ({ remoteAs }) => remoteAs },
  { id: 'state', header: text.state, isNarrow: true, cell: (session) => <SessionState session={session} /> },
  { id: 'up', header: text.up, cell: ({ uptimeMs }) => (uptimeMs === undefined ? '' : formatDuration(uptimeMs)) },
  { id: 'received', header: text.received, align: 'right', cell: ({ receivedPrefixes }) => receivedPrefixes },
  { id: 'sent', header: text.sent, align: 'right', cell: ({ sentPrefixes }) => sentPrefixes },
  { id: 'flaps', header: text.flaps, align: 'right', cell: ({ flaps }) => flaps },
  { id: 'bfd', header: text.bfd, cell: ({ bfd }) => bfd },
  { id: 'restart', header: text.restart, cell: ({ gracefulRestart }) => gracefulRestart },
  { id: 'description', header: text.description, cell: ({ description }) => <bdi>{description}</bdi> },
];

export function SessionsPart({ client }: { client: Client }) {
  const query = useRouting(client.client_id, 'BGP_LIST_NEIGHBORS', { everyMs: EVERY_MS });
  return (
    <Answer query={query} what={text.what} read={readBgpSessions}>
      {(sessions) =>
        sessions.length === 0 ? (
          <Empty title={text.emptyTitle}>{text.empty}</Empty>
        ) : (
          <>
            <PlainTable name={text.list} rows={sessions} columns={COLUMNS} rowId={({ peerIp }) => peerIp} />
            <Refresh client={client} />
          </>
        )
      }
    </Answer>
  );
}

function SessionState({ session: { state, isShutDown, lastReset } }: { session: BgpSession }) {
  const why = lastReset === '' ? undefined : text.lastReset(lastReset);
  if (state === 'Established') return <State word={text.established} tone="good" shape="full" why={why} />;
  if (isShutDown) return <State word={text.shutDown} tone="quiet" shape="square" />;
  return <State word={state} tone="bad" shape="triangle" why={why} />;
}

function Refresh({ client }: { client: Client }) {
  const { role } = useProject();
  const send = useRoutingCall(client.client_id);
  const [isAsking, setAsking] = useState(false);
  if (!mayCommand(role, 'ROUTING BGP_CLEAR_ROUTES')) return null;
  const confirm = async () => {
    await send('BGP_CLEAR_ROUTES', { clear: { neighbor: '*', soft: true } });
    sayDone(text.refreshed);
  };
  return (
    <div>
      <Button variant="default" size="xs" onClick={() => setAsking(true)}>
        {text.refresh}
      </Button>
      <Confirm
        opened={isAsking}
        title={text.refreshTitle(client.name)}
        action={text.refresh}
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      >
        {text.refreshText}
      </Confirm>
    </div>
  );
}

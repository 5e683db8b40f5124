import type { CallOutput, profileRoutes } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call, invalidate, routes, signOut, useApi } from '../../api/index.ts';
import { texts } from '../../texts/index.ts';
import { Confirm, Loaded, Section, State, sayDone, sayFailed, Time } from '../../ui/index.ts';
import lines from '../../ui/rows.module.css';
import classes from './profile.module.css';
import { nameAgent } from './user-agent.ts';

const text = texts.profile.sessions;

type OwnSession = CallOutput<typeof profileRoutes.listSessions>['items'][number];

/** Sessions emit no events. */
const REFRESH_MS = 30_000;

/** Sessions of the account, this one first. Ends one or all others. */
export function Sessions() {
  const queryClient = useQueryClient();
  const [ended, setEnded] = useState<OwnSession | 'others'>();
  const query = useApi(routes.profile.listSessions, {}, { refetchEveryMs: () => REFRESH_MS });
  const others = query.data?.body.items.filter(({ current }) => !current) ?? [];
  const end = async () => {
    if (ended === 'others') await call(routes.profile.endOtherSessions, {});
    else if (ended) await endOne(ended.id);
    await invalidate(queryClient, routes.profile.listSessions);
    sayDone(ended === 'others' ? text.section.othersEnded : text.section.sessionEnded);
  };
  return (
    <Section
      title={text.section.title}
      actions={
        others.length > 0 && (
          <Button variant="default" size="compact-sm" onClick={() => setEnded('others')}>
            {text.section.endOthers}
          </Button>
        )
      }
    >
      <Loaded query={query} what={text.section.what}>
        {({ body }) => <SessionList sessions={body.items} onEnd={setEnded} />}
      </Loaded>
      <Confirm
        opened={ended !== undefined}
        title={ended === 'others' ? text.section.endOthersTitle : text.section.endTitle}
        action={ended === 'others' ? text.section.endOthers : text.section.end}
        isDangerous
        onClose={() => setEnded(undefined)}
        onConfirm={end}
      >
        {ended === 'others'
          ? text.section.confirm(others.length)
          : text.section.endsSession(nameAgent(ended?.user_agent ?? null), ended?.ip ?? text.section.addressUnknown)}
      </Confirm>
    </Section>
  );
}

/** A session that has already ended is fine. */
async function endOne(sessionId: string): Promise<void> {
  try {
    await call(routes.profile.endSession, { params: { session_id: sessionId } });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}

const SHOWN = 10;

interface SessionListProps {
  readonly sessions: readonly OwnSession[];
  readonly onEnd: (session: OwnSession) => void;
}

function SessionList({ sessions, onEnd }: SessionListProps) {
  const [isWhole, setWhole] = useState(false);
  const sorted = [...sessions].sort((a, b) => Number(b.current) - Number(a.current));
  const shown = isWhole ? sorted : sorted.slice(0, SHOWN);
  return (
    <>
      <ul className={lines.rows} aria-label={text.list.title}>
        {shown.map((session) => (
          <SessionRow key={session.id} session={session} onEnd={() => onEnd(session)} />
        ))}
      </ul>
      {shown.length < sorted.length && (
        <div>
          <Button variant="default" size="compact-sm" onClick={() => setWhole(true)}>
            {text.list.showAll(sorted.length.toLocaleString())}
          </Button>
        </div>
      )}
    </>
  );
}

function SessionRow({ session, onEnd }: { session: OwnSession; onEnd: () => void }) {
  const name = nameAgent(session.user_agent);
  return (
    <li className={lines.row}>
      <span className={lines.grow}>
        <bdi title={session.user_agent ?? undefined}>{name}</bdi>
        <span className={classes.under}>
          {text.row.lastUsed(
            session.last_ip ?? session.ip ?? texts.profile.sessions.section.addressUnknown,
            <Time at={session.last_used_at} />,
          )}
        </span>
        <span className={classes.under}>
          {text.row.signedInAndEnds(<Time at={session.created_at} />, <Time at={session.expires_at} />)}
        </span>
      </span>
      {session.current && <State word={text.row.current} tone="good" shape="full" />}
      {session.current ? (
        <Button
          variant="default"
          size="compact-xs"
          onClick={() => void signOut().catch((error: unknown) => sayFailed(text.row.stillSignedIn, error))}
        >
          {text.row.signOut}
        </Button>
      ) : (
        <Button
          variant="default"
          size="compact-xs"
          aria-label={text.row.endSession(name, session.ip ?? '')}
          onClick={onEnd}
        >
          {text.row.end}
        </Button>
      )}
    </li>
  );
}

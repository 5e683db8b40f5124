import type { CallOutput, profileRoutes } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call, invalidate, routes, signOut, useApi } from '../../api/index.ts';
import { Confirm, Loaded, Section, State, sayDone, sayFailed, Time } from '../../ui/index.ts';
import classes from './profile.module.css';
import { nameAgent } from './user-agent.ts';

type OwnSession = CallOutput<typeof profileRoutes.listSessions>['items'][number];

/** No event tells of a session that began or ended elsewhere. */
const REFRESH_MS = 30_000;

/** Where one is signed in, this session first; each can be ended, or all others at once. */
export function Sessions() {
  const queryClient = useQueryClient();
  const [ended, setEnded] = useState<OwnSession | 'others'>();
  const query = useApi(routes.profile.listSessions, {}, { refetchEveryMs: () => REFRESH_MS });
  const others = query.data?.body.items.filter(({ current }) => !current) ?? [];
  const end = async () => {
    if (ended === 'others') await call(routes.profile.endOtherSessions, {});
    else if (ended) await endOne(ended.id);
    await invalidate(queryClient, routes.profile.listSessions);
    sayDone(ended === 'others' ? 'All other sessions have ended.' : 'The session has ended.');
  };
  return (
    <Section
      title="Sessions"
      actions={
        others.length > 0 && (
          <Button variant="default" size="compact-sm" onClick={() => setEnded('others')}>
            End all others
          </Button>
        )
      }
    >
      <Loaded query={query} what="Your sessions">
        {({ body }) => <SessionList sessions={body.items} onEnd={setEnded} />}
      </Loaded>
      <Confirm
        opened={ended !== undefined}
        title={ended === 'others' ? 'End all other sessions?' : 'End the session?'}
        action={ended === 'others' ? 'End all others' : 'End'}
        isDangerous
        onClose={() => setEnded(undefined)}
        onConfirm={end}
      >
        {ended === 'others'
          ? `${others.length === 1 ? 'One other session ends' : `${others.length} other sessions end`} with the next request. This one goes on.`
          : `Whoever uses it (${nameAgent(ended?.user_agent ?? null)}, ${ended?.ip ?? 'address unknown'}) has to sign in again. If that was not you, change your password, too.`}
      </Confirm>
    </Section>
  );
}

/** One that has ended by itself meanwhile is as good. */
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
      <ul className={classes.rows} aria-label="Your sessions">
        {shown.map((session) => (
          <SessionRow key={session.id} session={session} onEnd={() => onEnd(session)} />
        ))}
      </ul>
      {shown.length < sorted.length && (
        <div>
          <Button variant="default" size="compact-sm" onClick={() => setWhole(true)}>
            Show all {sorted.length.toLocaleString()}
          </Button>
        </div>
      )}
    </>
  );
}

function SessionRow({ session, onEnd }: { session: OwnSession; onEnd: () => void }) {
  const name = nameAgent(session.user_agent);
  return (
    <li className={classes.row}>
      <span className={classes.grow}>
        <bdi title={session.user_agent ?? undefined}>{name}</bdi>
        <span className={classes.under}>
          {session.last_ip ?? session.ip ?? 'address unknown'} · last used <Time at={session.last_used_at} />
        </span>
        <span className={classes.under}>
          signed in <Time at={session.created_at} /> · ends <Time at={session.expires_at} />
        </span>
      </span>
      {session.current && <State word="This session" tone="good" shape="full" />}
      {session.current ? (
        <Button
          variant="default"
          size="compact-xs"
          onClick={() => void signOut().catch((error: unknown) => sayFailed('You are still signed in', error))}
        >
          Sign out
        </Button>
      ) : (
        <Button
          variant="default"
          size="compact-xs"
          aria-label={`End the session ${name}, ${session.ip ?? ''}`}
          onClick={onEnd}
        >
          End
        </Button>
      )}
    </li>
  );
}

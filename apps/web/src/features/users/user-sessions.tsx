import type { CallOutput, userSessionRoutes } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call, invalidate, routes, useApi } from '../../api/index.ts';
import { useProject, useUser } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { Confirm, Loaded, Section, sayDone, Time } from '../../ui/index.ts';
import lines from '../../ui/rows.module.css';
import type { User } from './model.ts';

type UserSession = CallOutput<typeof userSessionRoutes.list>['items'][number];

const text = texts.users.sessions;
/** Sessions emit no events. */
const REFRESH_MS = 15_000;

/** Sessions of the user. Ends one or all. */
export function UserSessions({ user }: { user: User }) {
  const me = useUser();
  const project = useProject();
  const queryClient = useQueryClient();
  const [ended, setEnded] = useState<UserSession | 'all'>();
  const target = { params: { user_id: user.id }, query: me.is_owner ? {} : { project: project.id } };
  const query = useApi(routes.userSession.list, target, { refetchEveryMs: () => REFRESH_MS });
  const one = ended === 'all' ? undefined : ended;
  const end = async () => {
    if (ended === 'all') await call(routes.userSession.endAll, target);
    else if (ended) await endOne({ ...target, params: { ...target.params, session_id: ended.id } });
    await invalidate(queryClient, routes.userSession.list);
    sayDone(ended === 'all' ? text.endedAll : text.ended);
  };
  return (
    <Section
      title={text.title}
      actions={
        (query.data?.body.items.length ?? 0) > 0 && (
          <Button variant="default" size="compact-sm" onClick={() => setEnded('all')}>
            {text.endAll}
          </Button>
        )
      }
    >
      <Loaded query={query} what={text.what} skeleton={2}>
        {({ body }) =>
          body.items.length === 0 ? (
            <span className={lines.dim}>{text.none}</span>
          ) : (
            <ul className={lines.rows} aria-label={text.title}>
              {body.items.map((session) => (
                <SessionRow key={session.id} session={session} onEnd={() => setEnded(session)} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <Confirm
        opened={ended !== undefined}
        title={ended === 'all' ? text.endAllTitle(user.username) : text.endTitle}
        action={ended === 'all' ? text.endAll : text.end}
        isDangerous
        onClose={() => setEnded(undefined)}
        onConfirm={end}
      >
        {one ? text.endText(one.device, addressOf(one)) : text.endAllText}
      </Confirm>
    </Section>
  );
}

function SessionRow({ session, onEnd }: { session: UserSession; onEnd: () => void }) {
  const { device, factors, created_at, last_used_at, user_agent } = session;
  return (
    <li className={lines.row}>
      <span className={lines.grow}>
        <bdi title={user_agent ?? undefined}>{device}</bdi>{' '}
        <span className={lines.dim}>
          {addressOf(session)} · {text.lastUsed} <Time at={last_used_at} /> · {text.signedIn} <Time at={created_at} />{' '}
          {text.with(factors.length > 0 ? factors.join(', ') : text.password)}
        </span>
      </span>
      <Button
        variant="default"
        size="compact-xs"
        aria-label={text.endLabel(device, addressOf(session))}
        onClick={onEnd}
      >
        {text.end}
      </Button>
    </li>
  );
}

function addressOf({ ip, last_ip }: UserSession): string {
  return last_ip ?? ip ?? text.unknownAddress;
}

interface SessionTarget {
  readonly params: { user_id: string; session_id: string };
  readonly query: { project?: string };
}

/** A session that has already ended is fine. */
async function endOne(target: SessionTarget): Promise<void> {
  try {
    await call(routes.userSession.end, target);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}

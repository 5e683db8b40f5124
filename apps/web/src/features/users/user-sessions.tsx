import type { CallOutput, userSessionRoutes } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useProject, useUser } from '../../app/project.tsx';
import { Confirm, Loaded, RowActions, Section, Time, useDelete, useWrite } from '../../ui/index.ts';
import lines from '../../ui/rows.module.css';
import type { User } from './model.ts';
import { texts } from './texts.tsx';

type UserSession = CallOutput<typeof userSessionRoutes.list>['items'][number];

const text = texts.sessions;
/** Sessions emit no events. */
const REFRESH_MS = 15_000;
const STALE = { stale: [routes.userSession.list] };

/** Lists sessions of the user. Ends one or all. */
export function UserSessions({ user }: { user: User }) {
  const me = useUser();
  const project = useProject();
  const write = useWrite();
  const remove = useDelete();
  const [isEndingAll, setEndingAll] = useState(false);
  const target = { params: { user_id: user.id }, query: me.is_owner ? {} : { project: project.id } };
  const query = useApi(routes.userSession.list, target, { refetchEveryMs: () => REFRESH_MS });
  const endOne = ({ id }: UserSession) =>
    remove(
      routes.userSession.end,
      { ...target, params: { ...target.params, session_id: id } },
      { done: text.ended, ...STALE },
    );
  return (
    <Section
      title={text.title}
      actions={
        (query.data?.body.items.length ?? 0) > 0 && (
          <Button variant="default" size="compact-sm" onClick={() => setEndingAll(true)}>
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
                <SessionRow key={session.id} session={session} onEnd={() => endOne(session)} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <Confirm
        opened={isEndingAll}
        title={text.endAllTitle(user.username)}
        action={text.endAll}
        isDangerous
        onClose={() => setEndingAll(false)}
        onConfirm={() => write(routes.userSession.endAll, target, { done: text.endedAll, ...STALE })}
      >
        {text.endAllText}
      </Confirm>
    </Section>
  );
}

function SessionRow({ session, onEnd }: { session: UserSession; onEnd: () => Promise<void> }) {
  const { device, factors, created_at, last_used_at, user_agent } = session;
  const address = addressOf(session);
  return (
    <li className={lines.row}>
      <span className={lines.grow}>
        <bdi title={user_agent ?? undefined}>{device}</bdi>{' '}
        <span className={lines.dim}>
          {address} · {text.lastUsed} <Time at={last_used_at} /> · {text.signedIn} <Time at={created_at} />{' '}
          {text.with(factors.length > 0 ? factors.join(', ') : text.password)}
        </span>
      </span>
      <RowActions
        of={device}
        actions={[
          {
            word: text.end,
            label: text.endLabel(device, address),
            confirm: {
              title: text.endTitle,
              children: text.endText(device, address),
              isDangerous: true,
              onConfirm: onEnd,
            },
          },
        ]}
      />
    </li>
  );
}

function addressOf({ ip, last_ip }: UserSession): string {
  return last_ip ?? ip ?? text.unknownAddress;
}

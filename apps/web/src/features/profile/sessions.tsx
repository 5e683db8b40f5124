import type { CallOutput, profileRoutes } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { routes, signOut, useApi } from '../../api/index.ts';
import { Confirm, Loaded, RowActions, Section, State, sayFailed, Time, useDelete, useWrite } from '../../ui/index.ts';
import lines from '../../ui/rows.module.css';
import { texts } from './texts.tsx';
import { nameAgent } from './user-agent.ts';

const text = texts.sessions;

type OwnSession = CallOutput<typeof profileRoutes.listSessions>['items'][number];

/** Sessions emit no events. */
const REFRESH_MS = 30_000;
const STALE = { stale: [routes.profile.listSessions] };

/** Lists sessions of the account, this one first. Ends one or all others. */
export function Sessions() {
  const write = useWrite();
  const [isEndingOthers, setEndingOthers] = useState(false);
  const query = useApi(routes.profile.listSessions, {}, { refetchEveryMs: () => REFRESH_MS });
  const others = query.data?.body.items.filter(({ current }) => !current) ?? [];
  return (
    <Section
      title={text.section.title}
      actions={
        others.length > 0 && (
          <Button variant="default" size="compact-sm" onClick={() => setEndingOthers(true)}>
            {text.section.endOthers}
          </Button>
        )
      }
    >
      <Loaded query={query} what={text.section.what}>
        {({ body }) => <SessionList sessions={body.items} />}
      </Loaded>
      <Confirm
        opened={isEndingOthers}
        title={text.section.endOthersTitle}
        action={text.section.endOthers}
        isDangerous
        onClose={() => setEndingOthers(false)}
        onConfirm={() => write(routes.profile.endOtherSessions, {}, { done: text.section.othersEnded, ...STALE })}
      >
        {text.section.confirm(others.length)}
      </Confirm>
    </Section>
  );
}

const SHOWN = 10;

function SessionList({ sessions }: { sessions: readonly OwnSession[] }) {
  const [isWhole, setWhole] = useState(false);
  const sorted = [...sessions].sort((a, b) => Number(b.current) - Number(a.current));
  const shown = isWhole ? sorted : sorted.slice(0, SHOWN);
  return (
    <>
      <ul className={lines.rows} aria-label={text.list.title}>
        {shown.map((session) => (
          <SessionRow key={session.id} session={session} />
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

function SessionRow({ session }: { session: OwnSession }) {
  const name = nameAgent(session.user_agent);
  return (
    <li className={lines.row}>
      <span className={lines.grow}>
        <bdi title={session.user_agent ?? undefined}>{name}</bdi>
        <span className={lines.hint}>
          {text.row.lastUsed(
            session.last_ip ?? session.ip ?? texts.sessions.section.addressUnknown,
            <Time at={session.last_used_at} />,
          )}
        </span>
        <span className={lines.hint}>
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
        <EndSession session={session} name={name} />
      )}
    </li>
  );
}

function EndSession({ session: { id, ip }, name }: { session: OwnSession; name: string }) {
  const remove = useDelete();
  const end = () =>
    remove(routes.profile.endSession, { params: { session_id: id } }, { done: text.section.sessionEnded, ...STALE });
  return (
    <RowActions
      of={name}
      actions={[
        {
          word: text.row.end,
          label: text.row.endSession(name, ip ?? ''),
          confirm: {
            title: text.section.endTitle,
            children: text.section.endsSession(name, ip ?? text.section.addressUnknown),
            isDangerous: true,
            onConfirm: end,
          },
        },
      ]}
    />
  );
}

import { Skeleton } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { AuditLink } from '../../app/links.tsx';
import { useCan, useProject, useUser } from '../../app/project.tsx';
import { Columns, Facts, Notice, RecordPage, Section, State, Time } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { AccountForm } from './account-form.tsx';
import { Lately } from './lately.tsx';
import { Memberships } from './memberships.tsx';
import { nameRealm, type User } from './model.ts';
import { whyNoAccount } from './rights.ts';
import { SignIn } from './sign-in.tsx';
import { texts } from './texts.tsx';
import { UserState } from './user-columns.tsx';
import { UserSessions } from './user-sessions.tsx';

const text = texts.userPage;

/** Shows a user. Owners of the installation see everything; admins only the open project. */
export function UserPage() {
  const { userId } = useParams({ from: '/p/$project/users/$userId' });
  const project = useProject();
  const me = useUser();
  const query = useApi(
    routes.user.get,
    { params: { user_id: userId }, query: me.is_owner ? {} : { project: project.id } },
    { topics: ['user'] },
  );
  return (
    <RecordPage
      words={text.page}
      query={query}
      list={{
        name: text.page.toUsers,
        link: (label) => (
          <Link to="/p/$project/users" params={{ project: project.name }}>
            {label}
          </Link>
        ),
      }}
      title={({ username }) => username}
      beside={({ active, is_owner: isOwner }) => (
        <>
          <UserState active={active} />
          {isOwner && <State word={text.page.owner} tone="busy" shape="full" why={text.page.whyOwner} />}
        </>
      )}
      whyMissing={text.page.whyMissing(<AuditLink about={userId} />)}
      skeleton={<Skeleton height={420} />}
    >
      {({ body, etag }) => <UserBody key={body.id} user={body} etag={etag} onStale={() => query.refetch()} />}
    </RecordPage>
  );
}

/** Returns the name of the user's home project. Admins only get that of their own project. */
function nameHome({ home_project_name: home }: User, isOwner: boolean) {
  if (home !== null) return <bdi key="h">{home}</bdi>;
  return isOwner ? text.body.homeInstallation : text.body.homeElsewhere;
}

interface UserBodyProps {
  readonly user: User;
  readonly etag: string | undefined;
  readonly onStale: () => Promise<unknown>;
}

function UserBody({ user, etag, onStale }: UserBodyProps) {
  const me = useUser();
  const isSelf = user.id === me.id;
  const [refusal, setRefusal] = useState<string>();
  const barrier = whyNoAccount(me, user) ?? refusal;
  const change = { user, etag, onStale, onBarred: setRefusal };
  return (
    <Columns aside={<UserAside user={user} canChange={barrier === undefined} />}>
      {isSelf && (
        <Notice tone="quiet" title={text.body.isYou}>
          {text.body.isYouText(
            <Link to="/profile" className={layout.link}>
              {text.body.profile}
            </Link>,
          )}
        </Notice>
      )}
      <Section title={text.body.account}>
        {barrier === undefined ? (
          <AccountForm {...change} />
        ) : (
          <>
            <Facts
              facts={[
                [text.body.username, <bdi key="n">{user.username}</bdi>],
                ['E-mail', user.email && <bdi key="m">{user.email}</bdi>],
              ]}
            />
            <Notice tone={refusal ? 'warn' : 'quiet'} title={text.body.notYours}>
              {barrier}
            </Notice>
          </>
        )}
      </Section>
      <Memberships user={user} />
      {barrier === undefined && !isSelf && <SignIn {...change} />}
    </Columns>
  );
}

function UserAside({ user, canChange }: { user: User; canChange: boolean }) {
  const me = useUser();
  const can = useCan();
  const realms = useApi(routes.directory.realms, {}).data?.body.items ?? [];
  return (
    <>
      <Section title={text.body.record}>
        <Facts
          facts={[
            [texts.list.realm, nameRealm(realms, user.realm)],
            [text.body.home, nameHome(user, me.is_owner)],
            [text.body.created, <Time key="c" at={user.created_at} />],
            [text.body.changed, <Time key="u" at={user.updated_at} />],
          ]}
        />
      </Section>
      {canChange && user.id !== me.id && can(routes.userSession.list) && <UserSessions user={user} />}
      {can(routes.audit.list) && <Lately user={user} />}
    </>
  );
}

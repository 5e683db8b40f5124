import { Skeleton } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError, routes, useApi } from '../../api/index.ts';
import { useCan, useProject, useUser } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { Empty, Facts, Loaded, Notice, Page, Section, State, Time } from '../../ui/index.ts';
import { AccountForm } from './account-form.tsx';
import { Lately } from './lately.tsx';
import { Memberships } from './memberships.tsx';
import { nameRealm, type User } from './model.ts';
import { whyNoAccount } from './rights.ts';
import { SignIn } from './sign-in.tsx';
import { UserState } from './user-columns.tsx';
import { UserSessions } from './user-sessions.tsx';
import classes from './users.module.css';

const text = texts.users.userPage;

/** Owners of the installation see a user whole; admins only what concerns the open project. */
export function UserPage() {
  const { userId } = useParams({ from: '/p/$project/users/$userId' });
  const project = useProject();
  const me = useUser();
  const query = useApi(
    routes.user.get,
    { params: { user_id: userId }, query: me.is_owner ? {} : { project: project.id } },
    { topics: ['user'] },
  );
  const user = query.data?.body;
  const trail = [
    <Link key="users" to="/p/$project/users" params={{ project: project.name }}>
      {text.userPage.link}
    </Link>,
  ];
  if (query.error instanceof ApiError && (query.error.status === 404 || query.error.code === 'request.invalid'))
    return (
      <Page title={text.userPage.title} trail={trail}>
        <Empty
          title={text.userPage.nothingHere}
          action={
            <Link to="/p/$project/users" params={{ project: project.name }}>
              {text.userPage.linkShowAll}
            </Link>
          }
        >
          {text.userPage.empty}
        </Empty>
      </Page>
    );
  return (
    <Page
      title={user?.username ?? text.userPage.titleUser}
      trail={trail}
      beside={
        user && (
          <>
            <UserState active={user.active} />
            {user.is_owner && <State word={text.userPage.word} tone="busy" shape="full" why={text.userPage.why} />}
          </>
        )
      }
    >
      <Loaded query={query} what={text.userPage.what} skeleton={<Skeleton height={420} />}>
        {({ body, etag }) => <UserBody key={body.id} user={body} etag={etag} onStale={() => query.refetch()} />}
      </Loaded>
    </Page>
  );
}

interface UserBodyProps {
  readonly user: User;
  readonly etag: string | undefined;
  readonly onStale: () => Promise<unknown>;
}

function UserBody({ user, etag, onStale }: UserBodyProps) {
  const me = useUser();
  const can = useCan();
  const isSelf = user.id === me.id;
  const realms = useApi(routes.directory.realms, {}).data?.body.items ?? [];
  const [refusal, setRefusal] = useState<string>();
  const barrier = whyNoAccount(me, user) ?? refusal;
  const change = { user, etag, onStale, onBarred: setRefusal };
  return (
    <div className={classes.columns}>
      <div className={classes.column}>
        {isSelf && (
          <Notice tone="quiet" title={text.userBody.title}>
            {text.userBody.notice(
              <Link to="/profile" className={classes.link}>
                {text.userBody.link}
              </Link>,
            )}
          </Notice>
        )}
        <Section title={text.userBody.titleAccount}>
          {barrier === undefined ? (
            <AccountForm {...change} />
          ) : (
            <>
              <Facts
                facts={[
                  [text.userBody.factUserName, <bdi key="n">{user.username}</bdi>],
                  ['E-mail', user.email && <bdi key="m">{user.email}</bdi>],
                ]}
              />
              <Notice tone={refusal ? 'warn' : 'quiet'} title={text.userBody.notYours}>
                {barrier}
              </Notice>
            </>
          )}
        </Section>
        <Memberships user={user} />
        {barrier === undefined && !isSelf && <SignIn {...change} />}
      </div>
      <div className={classes.column}>
        <Section title={text.userBody.titleRecord}>
          <Facts
            facts={[
              [texts.users.list.realm, nameRealm(realms, user.realm)],
              [text.userBody.factCreated, <Time key="c" at={user.created_at} />],
              [text.userBody.factChanged, <Time key="u" at={user.updated_at} />],
            ]}
          />
        </Section>
        {barrier === undefined && !isSelf && can(routes.userSession.list) && <UserSessions user={user} />}
        {can(routes.audit.list) && <Lately user={user} />}
      </div>
    </div>
  );
}

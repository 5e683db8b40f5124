import type { CallOutput, profileRoutes } from '@flotilla/contract';
import { Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProjectIfAny, useUser } from '../../app/project.tsx';
import { Columns, Empty, Facts, Loaded, Page, Section, State, Time } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import lines from '../../ui/rows.module.css';
import { Capabilities } from './capabilities.tsx';
import { EmailForm } from './email-form.tsx';
import { Invitations } from './invitations.tsx';
import { Passkeys } from './passkeys.tsx';
import { PasswordForm } from './password-form.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';
import { texts } from './texts.tsx';
import { Theme } from './theme-choice.tsx';

const text = texts.profilePage;

type Profile = Extract<CallOutput<typeof profileRoutes.get>, { kind: 'user' }>;

export function ProfilePage() {
  const user = useUser();
  const query = useApi(routes.profile.get, {}, { topics: ['user', 'project'] });
  return (
    <Page
      title={text.page.title}
      lead={text.page.lead}
      beside={user.is_owner && <State word={text.page.owner} tone="busy" shape="full" why={text.page.whyOwner} />}
    >
      <Columns isEven aside={<Access />}>
        <Invitations />
        <Loaded query={query} what={text.page.what} skeleton={<Skeleton height={180} />}>
          {({ body }) => body.kind === 'user' && <Account profile={body} />}
        </Loaded>
        <Sessions />
        <Capabilities />
      </Columns>
    </Page>
  );
}

/** The ways to sign in, and what else the user can change. */
function Access() {
  const user = useUser();
  return (
    <>
      <Section title={text.page.changePassword}>
        <PasswordForm username={user.username} />
      </Section>
      <SecondFactor />
      <Passkeys />
      <Section title={text.page.changeEmail}>
        <EmailForm key={user.email} email={user.email} />
      </Section>
      <Section title={text.page.theme}>
        <Theme />
      </Section>
      <Tokens />
    </>
  );
}

function Account({ profile }: { profile: Profile }) {
  return (
    <>
      <Section title={text.account.title}>
        <Facts
          facts={[
            [text.account.username, <bdi key="n">{profile.username}</bdi>],
            ['E-mail', profile.email && <bdi key="m">{profile.email}</bdi>],
            [text.account.passwordChanged, <Time key="p" at={profile.password_changed_at} />],
            [text.account.since, <Time key="c" at={profile.created_at} />],
          ]}
        />
      </Section>
      <Projects profile={profile} />
    </>
  );
}

const PROJECTS_SHOWN = 20;

function Projects({ profile }: { profile: Profile }) {
  const { memberships } = profile;
  const hidden = memberships.length - PROJECTS_SHOWN;
  return (
    <Section title={text.projects.title}>
      {memberships.length === 0 ? (
        <Empty title={text.projects.noProject}>{text.projects.whomToAsk}</Empty>
      ) : (
        <ul className={lines.rows} aria-label={text.projects.list}>
          {memberships.slice(0, PROJECTS_SHOWN).map(({ project, project_name: name, role }) => (
            <li key={project} className={lines.row}>
              <span className={lines.grow}>
                <Link to="/p/$project/overview" params={{ project: name }}>
                  <bdi>{name}</bdi>
                </Link>
              </span>
              <span>{role}</span>
            </li>
          ))}
        </ul>
      )}
      {hidden > 0 && <p className={layout.note}>{text.projects.andMore(hidden.toLocaleString())}</p>}
    </Section>
  );
}

/** Links to the tokens, which belong to a project and not to a user. */
function Tokens() {
  const can = useCan();
  const project = useProjectIfAny();
  if (!project || !can(routes.apiToken.list)) return null;
  return (
    <Section title={text.tokens.title}>
      <p className={layout.note}>
        {text.tokens.whatFor(
          <Link to="/p/$project/tokens" params={{ project: project.name }} className={layout.link}>
            {text.tokens.ofProject(<bdi>{project.name}</bdi>)}
          </Link>,
        )}
      </p>
    </Section>
  );
}

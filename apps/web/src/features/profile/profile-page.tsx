import type { CallOutput, profileRoutes } from '@flotilla/contract';
import { Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProjectIfAny, useUser } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { Empty, Facts, Loaded, Page, Section, State, Time } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import lines from '../../ui/rows.module.css';
import { Capabilities } from './capabilities.tsx';
import { EmailForm } from './email-form.tsx';
import { Passkeys } from './passkeys.tsx';
import { PasswordForm } from './password-form.tsx';
import classes from './profile.module.css';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';
import { Theme } from './theme-choice.tsx';

const text = texts.profile.profilePage;

type Profile = Extract<CallOutput<typeof profileRoutes.get>, { kind: 'user' }>;

export function ProfilePage() {
  const user = useUser();
  const query = useApi(routes.profile.get, {}, { topics: ['user', 'project'] });
  return (
    <Page
      title={text.profilePage.title}
      lead={text.profilePage.lead}
      beside={
        user.is_owner && <State word={text.profilePage.word} tone="busy" shape="full" why={text.profilePage.why} />
      }
    >
      <div className={classes.columns}>
        <div className={classes.column}>
          <Loaded query={query} what={text.profilePage.what} skeleton={<Skeleton height={180} />}>
            {({ body }) => body.kind === 'user' && <Account profile={body} />}
          </Loaded>
          <Sessions />
          <Capabilities />
        </div>
        <div className={classes.column}>
          <Section title={text.profilePage.titleChangePassword}>
            <PasswordForm username={user.username} />
          </Section>
          <SecondFactor />
          <Passkeys />
          <Section title={text.profilePage.changeEmail}>
            <EmailForm email={user.email} />
          </Section>
          <Section title={text.profilePage.titleTheme}>
            <Theme />
          </Section>
          <Tokens />
        </div>
      </div>
    </Page>
  );
}

function Account({ profile }: { profile: Profile }) {
  return (
    <>
      <Section title={text.account.title}>
        <Facts
          facts={[
            [text.account.factUserName, <bdi key="n">{profile.username}</bdi>],
            ['E-mail', profile.email && <bdi key="m">{profile.email}</bdi>],
            [text.account.factPasswordChanged, <Time key="p" at={profile.password_changed_at} />],
            [text.account.factAccountSince, <Time key="c" at={profile.created_at} />],
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
        <Empty title={text.projects.noProject}>{text.projects.empty}</Empty>
      ) : (
        <ul className={lines.rows} aria-label={text.projects.ariaLabel}>
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
      {hidden > 0 && <p className={layout.note}>{text.projects.text(hidden.toLocaleString())}</p>}
    </Section>
  );
}

/** Tokens belong to a project, not to a person: this says where they are. */
function Tokens() {
  const can = useCan();
  const project = useProjectIfAny();
  if (!project || !can(routes.apiToken.list)) return null;
  return (
    <Section title={text.tokens.title}>
      <p className={layout.note}>
        {text.tokens.text(
          <Link to="/p/$project/tokens" params={{ project: project.name }} className={classes.link}>
            {text.tokens.link(<bdi>{project.name}</bdi>)}
          </Link>,
        )}
      </p>
    </Section>
  );
}

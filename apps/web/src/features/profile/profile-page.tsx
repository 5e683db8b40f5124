import type { CallOutput, profileRoutes } from '@flotilla/contract';
import { Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProjectIfAny, useUser } from '../../app/project.tsx';
import { Empty, Facts, Loaded, Page, Section, State, Time } from '../../ui/index.ts';
import { Capabilities } from './capabilities.tsx';
import { EmailForm } from './email-form.tsx';
import { Passkeys } from './passkeys.tsx';
import { PasswordForm } from './password-form.tsx';
import classes from './profile.module.css';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';
import { Theme } from './theme-choice.tsx';

type Profile = Extract<CallOutput<typeof profileRoutes.get>, { kind: 'user' }>;

export function ProfilePage() {
  const user = useUser();
  const query = useApi(routes.profile.get, {}, { topics: ['user', 'project'] });
  return (
    <Page
      title="Profile"
      lead="Your account, your password and where you are signed in."
      beside={
        user.is_owner && (
          <State
            word="Owner"
            tone="busy"
            shape="full"
            why="Of the installation: you may do everything in every project"
          />
        )
      }
    >
      <div className={classes.columns}>
        <div className={classes.column}>
          <Loaded query={query} what="Your profile" skeleton={<Skeleton height={180} />}>
            {({ body }) => body.kind === 'user' && <Account profile={body} />}
          </Loaded>
          <Sessions />
          <Capabilities />
        </div>
        <div className={classes.column}>
          <Section title="Change the password">
            <PasswordForm username={user.username} />
          </Section>
          <SecondFactor />
          <Passkeys />
          <Section title="Change the e-mail address">
            <EmailForm email={user.email} />
          </Section>
          <Section title="Theme">
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
      <Section title="Account">
        <Facts
          facts={[
            ['User name', <bdi key="n">{profile.username}</bdi>],
            ['E-mail', profile.email && <bdi key="m">{profile.email}</bdi>],
            ['Password changed', <Time key="p" at={profile.password_changed_at} />],
            ['Account since', <Time key="c" at={profile.created_at} />],
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
    <Section title="Projects and roles">
      {memberships.length === 0 ? (
        <Empty title="You are in no project yet">
          An admin of a project or an owner of the installation can add you.
        </Empty>
      ) : (
        <ul className={classes.rows} aria-label="Your projects">
          {memberships.slice(0, PROJECTS_SHOWN).map(({ project, project_name: name, role }) => (
            <li key={project} className={classes.row}>
              <span className={classes.grow}>
                <Link to="/p/$project/overview" params={{ project: name }}>
                  <bdi>{name}</bdi>
                </Link>
              </span>
              <span>{role}</span>
            </li>
          ))}
        </ul>
      )}
      {hidden > 0 && <p className={classes.text}>And {hidden.toLocaleString()} more: the switcher finds them.</p>}
    </Section>
  );
}

/** Tokens belong to a project, not to a person: this says where they are. */
function Tokens() {
  const can = useCan();
  const project = useProjectIfAny();
  if (!project || !can(routes.apiToken.list)) return null;
  return (
    <Section title="API tokens">
      <p className={classes.text}>
        Programs use API tokens in place of your password. Each belongs to a project:{' '}
        <Link to="/p/$project/tokens" params={{ project: project.name }} className={classes.link}>
          API tokens of <bdi>{project.name}</bdi>
        </Link>
      </p>
    </Section>
  );
}

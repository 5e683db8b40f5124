import { Link, Outlet, useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect, useMemo } from 'react';
import { followEvents } from '../api/events/index.ts';
import { queryClient, type SessionUser, useSession } from '../api/index.ts';
import { Invalidator } from '../api/query-client.ts';
import { useProjectAccess, useProjectIfAny, useUser, WhereProvider } from '../app/project.tsx';
import { Empty, Page } from '../ui/index.ts';
import { Frame } from './frame.tsx';
import { recallProject, rememberProject } from './last-project.ts';
import { texts } from './texts.tsx';

const text = texts.projectFrame;

/** Loads the project of the URL and renders its frame. */
export function ProjectFrame() {
  const user = useSignedIn();
  const { project: name } = useParams({ from: '/p/$project' });
  if (!user) return null;
  if (user.memberships.some(({ project_name }) => project_name === name))
    return (
      <Framed user={user} name={name}>
        <IfOpen name={name} />
      </Framed>
    );
  return (
    <Framed user={user} name={undefined}>
      <Page title={text.title}>
        <Empty title={text.noProject} action={<Link to="/">{text.toOwnProject}</Link>}>
          {text.whyNoProject}
        </Empty>
      </Page>
    </Framed>
  );
}

/** Renders the page, or a notice if the project requires a second factor. */
function IfOpen({ name }: { name: string }) {
  if (useProjectAccess() !== 'closed') return <Outlet />;
  return (
    <Page title={text.closedTitle}>
      <Empty title={text.closed(name)} action={<Link to="/profile">{text.toProfile}</Link>}>
        {text.closedText}
      </Empty>
    </Page>
  );
}

/** Surrounds pages outside projects; shows the last open project. */
export function HomeFrame() {
  const user = useSignedIn();
  if (!user) return null;
  const last = recallProject();
  const names = user.memberships.map(({ project_name }) => project_name);
  return (
    <Framed user={user} name={names.find((name) => name === last) ?? names[0]}>
      <Outlet />
    </Framed>
  );
}

function useSignedIn(): SessionUser | undefined {
  const session = useSession();
  return session.status === 'signedIn' || session.status === 'expired' ? session.user : undefined;
}

function Framed({ user, name, children }: { user: SessionUser; name: string | undefined; children: ReactNode }) {
  const project = useMemo(() => {
    const membership = user.memberships.find(({ project_name }) => project_name === name);
    return membership && { id: membership.project, name: membership.project_name, role: membership.role };
  }, [user, name]);
  return (
    <WhereProvider user={user} project={project}>
      <FollowProject />
      <Frame>{children}</Frame>
    </WhereProvider>
  );
}

/** Follows the change events of the project. A session that may not use the project may not follow them either. */
function FollowProject() {
  const project = useProjectIfAny();
  const access = useProjectAccess();
  const [projectId, name] = [project?.id, project?.name];
  const { id: userId } = useUser();
  useEffect(() => {
    if (projectId === undefined || name === undefined || access !== 'open') return undefined;
    rememberProject(name);
    const invalidator = new Invalidator(queryClient);
    return followEvents(
      { userId, project: projectId },
      {
        onChange: (event) => invalidator.note(event),
        onResync: () => invalidator.resync(),
        onBegin: () => invalidator.begin(),
      },
    );
  }, [userId, projectId, name, access]);
  return null;
}

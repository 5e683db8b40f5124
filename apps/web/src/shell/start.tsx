import { Navigate } from '@tanstack/react-router';
import { useSession } from '../api/index.ts';
import { Empty, Page } from '../ui/index.ts';
import { recallProject } from './last-project.ts';
import { texts } from './texts.tsx';

const text = texts.start;

/** Redirects to the last open project, else to the first. */
export function Start() {
  const session = useSession();
  if (session.status !== 'signedIn') return null;
  const { memberships } = session.user;
  const last = recallProject();
  const chosen = memberships.find(({ project_name }) => project_name === last) ?? memberships[0];
  if (chosen) return <Navigate to="/p/$project/overview" params={{ project: chosen.project_name }} replace />;
  return (
    <Page title={text.title}>
      <Empty title={text.noProject}>{text.whomToAsk}</Empty>
    </Page>
  );
}

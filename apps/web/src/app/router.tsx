import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  Outlet,
} from '@tanstack/react-router';
import { Gate } from '../shell/gate.tsx';
import { PageFailed, PageMissing, PageWaiting } from '../shell/page-states.tsx';
import { HomeFrame, ProjectFrame } from '../shell/project-frame.tsx';
import { formatSearch, parseSearch, type UrlSearch } from './url-state.ts';

/**
 * Every screen has a URL that restores it: the path says which object, the query how it is shown (filters, tab, time
 * range). Each screen is loaded when it is first opened.
 */
const root = createRootRoute({
  component: () => (
    <Gate>
      <Outlet />
    </Gate>
  ),
  notFoundComponent: PageMissing,
  // Only types links; each screen validates its own parameters.
  validateSearch: (search: UrlSearch): UrlSearch => search,
});

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('../shell/start.tsx'), 'Start'),
});

/** Pages of the installation or the user, in the frame of the last open project. */
const home = createRoute({ getParentRoute: () => root, id: 'home', component: HomeFrame });

const profile = createRoute({
  getParentRoute: () => home,
  path: '/profile',
  component: lazyRouteComponent(() => import('../features/profile/profile-page.tsx'), 'ProfilePage'),
});

const projects = createRoute({
  getParentRoute: () => home,
  path: '/projects',
  component: lazyRouteComponent(() => import('../features/projects/projects-page.tsx'), 'ProjectsPage'),
});

const settings = (['/settings', '/settings/$section'] as const).map((path) =>
  createRoute({
    getParentRoute: () => home,
    path,
    component: lazyRouteComponent(() => import('../shell/settings/settings-frame.tsx'), 'InstallationSettings'),
  }),
);

/** An unknown address still renders the frame with its navigation. */
const elsewhere = createRoute({ getParentRoute: () => home, path: '$', component: PageMissing });

const project = createRoute({ getParentRoute: () => root, path: '/p/$project', component: ProjectFrame });

const inProject = <P extends string>(path: P, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => project, path, component });

const screens = [
  createRoute({
    getParentRoute: () => project,
    path: '/',
    component: () => <Navigate from="/p/$project" to="/p/$project/overview" replace />,
  }),
  inProject(
    '/overview',
    lazyRouteComponent(() => import('../features/overview/overview-page.tsx'), 'OverviewPage'),
  ),
  inProject(
    '/clients',
    lazyRouteComponent(() => import('../features/clients/clients-page.tsx'), 'ClientsPage'),
  ),
  inProject(
    '/clients/$clientId',
    lazyRouteComponent(() => import('../features/clients/client-page.tsx'), 'ClientPage'),
  ),
  inProject(
    '/services',
    lazyRouteComponent(() => import('../features/services/services-page.tsx'), 'ServicesPage'),
  ),
  inProject(
    '/services/new',
    lazyRouteComponent(() => import('../features/services/service-editor-page.tsx'), 'NewServicePage'),
  ),
  inProject(
    '/services/$serviceId',
    lazyRouteComponent(() => import('../features/services/service-page.tsx'), 'ServicePage'),
  ),
  inProject(
    '/services/$serviceId/edit',
    lazyRouteComponent(() => import('../features/services/service-editor-page.tsx'), 'EditServicePage'),
  ),
  inProject(
    '/resources/$collection',
    lazyRouteComponent(() => import('../features/resources/resources-page.tsx'), 'ResourcesPage'),
  ),
  inProject(
    '/resources/$collection/new',
    lazyRouteComponent(() => import('../features/resources/new-resource-page.tsx'), 'NewResourcePage'),
  ),
  inProject(
    '/resources/$collection/$version/$name',
    lazyRouteComponent(() => import('../features/resources/resource-page.tsx'), 'ResourcePage'),
  ),
  inProject(
    '/policies',
    lazyRouteComponent(() => import('../features/policies/policies-page.tsx'), 'PoliciesPage'),
  ),
  inProject(
    '/policies/new',
    lazyRouteComponent(() => import('../features/policies/new-policy-page.tsx'), 'NewPolicyPage'),
  ),
  inProject(
    '/policies/$name',
    lazyRouteComponent(() => import('../features/policies/policy-page.tsx'), 'PolicyPage'),
  ),
  inProject(
    '/shield/events',
    lazyRouteComponent(() => import('../features/shield-events/events-page.tsx'), 'ShieldEventsPage'),
  ),
  inProject(
    '/shield/try',
    lazyRouteComponent(() => import('../features/policies/trial/trial-page.tsx'), 'TrialPage'),
  ),
  inProject(
    '/jobs',
    lazyRouteComponent(() => import('../features/jobs/jobs-page.tsx'), 'JobsPage'),
  ),
  inProject(
    '/jobs/$jobId',
    lazyRouteComponent(() => import('../features/jobs/job-page.tsx'), 'JobPage'),
  ),
  inProject(
    '/audit',
    lazyRouteComponent(() => import('../features/audit/audit-page.tsx'), 'AuditPage'),
  ),
  inProject(
    '/users',
    lazyRouteComponent(() => import('../features/users/users-page.tsx'), 'UsersPage'),
  ),
  inProject(
    '/users/$userId',
    lazyRouteComponent(() => import('../features/users/user-page.tsx'), 'UserPage'),
  ),
  inProject(
    '/groups',
    lazyRouteComponent(() => import('../features/groups/groups-page.tsx'), 'GroupsPage'),
  ),
  inProject(
    '/permissions',
    lazyRouteComponent(() => import('../features/permissions/permissions-page.tsx'), 'PermissionsPage'),
  ),
  inProject(
    '/tokens',
    lazyRouteComponent(() => import('../features/tokens/tokens-page.tsx'), 'TokensPage'),
  ),
  ...(['/settings', '/settings/$section'] as const).map((path) =>
    inProject(
      path,
      lazyRouteComponent(() => import('../shell/settings/settings-frame.tsx'), 'ProjectSettings'),
    ),
  ),
  createRoute({ getParentRoute: () => project, path: '$', component: PageMissing }),
];

const routeTree = root.addChildren([
  start,
  home.addChildren([profile, projects, ...settings, elsewhere]),
  project.addChildren(screens),
]);

export const router = createRouter({
  routeTree,
  parseSearch,
  stringifySearch: formatSearch,
  defaultPreload: 'intent',
  defaultPendingComponent: PageWaiting,
  defaultErrorComponent: PageFailed,
  defaultNotFoundComponent: PageMissing,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

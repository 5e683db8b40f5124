import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  Outlet,
  type RouteComponent,
} from '@tanstack/react-router';
import { ALL_SCREENS } from '../shell/all-screens.ts';
import { Gate } from '../shell/gate.tsx';
import { PageFailed, PageMissing, PageWaiting } from '../shell/page-states.tsx';
import { HomeFrame, ProjectFrame } from '../shell/project-frame.tsx';
import type { AllScreens } from './screens.ts';
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
  // This only types links; each screen validates its own parameters.
  validateSearch: (search: UrlSearch): UrlSearch => search,
});

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('../shell/start.tsx'), 'Start'),
});

/** Pages of the installation or the user, in the frame of the last open project. */
const home = createRoute({ getParentRoute: () => root, id: 'home', component: HomeFrame });

/** An unknown address still renders the frame with its navigation. */
const elsewhere = createRoute({ getParentRoute: () => home, path: '$', component: PageMissing });

const project = createRoute({ getParentRoute: () => root, path: '/p/$project', component: ProjectFrame });

const projectStart = createRoute({
  getParentRoute: () => project,
  path: '/',
  component: () => <Navigate from="/p/$project" to="/p/$project/overview" replace />,
});

const unknownInProject = createRoute({ getParentRoute: () => project, path: '$', component: PageMissing });

type PagePath = { [F in keyof AllScreens]: keyof NonNullable<AllScreens[F]['pages']> & string }[keyof AllScreens];
type InProject<Path> = Path extends `/p/$project${infer Rest}` ? Rest : never;
type AtHome<Path> = Path extends `/p/$project${string}` ? never : Path;

const PROJECT = '/p/$project';
const pages = ALL_SCREENS.flatMap(({ pages = {} }) => Object.entries(pages));

const createProjectPage = <P extends string>(path: P, component: RouteComponent) =>
  createRoute({ getParentRoute: () => project, path, component });
const createHomePage = <P extends string>(path: P, component: RouteComponent) =>
  createRoute({ getParentRoute: () => home, path, component });

/** One type of route per page, so that links and parameters are checked. */
type ProjectPage<P> = P extends string ? ReturnType<typeof createProjectPage<P>> : never;
type HomePage<P> = P extends string ? ReturnType<typeof createHomePage<P>> : never;

const projectPages = pages
  .filter(([path]) => path.startsWith(PROJECT))
  .map(([path, page]) => createProjectPage(path.slice(PROJECT.length), page)) as unknown as ProjectPage<
  InProject<PagePath>
>[];
const homePages = pages
  .filter(([path]) => !path.startsWith(PROJECT))
  .map(([path, page]) => createHomePage(path, page)) as unknown as HomePage<AtHome<PagePath>>[];

const routeTree = root.addChildren([
  start,
  home.addChildren([...homePages, elsewhere]),
  project.addChildren([projectStart, ...projectPages, unknownInProject]),
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

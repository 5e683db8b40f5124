import type { Role } from '@flotilla/contract';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { mayCall } from '../api/access.ts';
import { ApiError, type RouteRef, routes, type SessionUser, useApi } from '../api/index.ts';

export interface Project {
  readonly id: string;
  readonly name: string;
  /** Role of the signed-in user in the project. */
  readonly role: Role;
}

interface Where {
  readonly user: SessionUser;
  /** undefined if the user is in no project. */
  readonly project: Project | undefined;
  /** Routes that the controller allows for the user here; undefined until loaded. */
  readonly capabilities: ReadonlySet<string> | undefined;
  /**
   * asking: the controller has not answered yet whether the session may use the open project. closed: the project requires a second factor.
   */
  readonly access: 'asking' | 'open' | 'closed';
}

const WhereContext = createContext<Where | undefined>(undefined);

interface WhereProviderProps extends Omit<Where, 'capabilities' | 'access'> {
  readonly children: ReactNode;
}

export function WhereProvider({ user, project, children }: WhereProviderProps) {
  const { data, error, isPending } = useApi(
    routes.capability.get,
    { query: project ? { project: project.id } : {} },
    { topics: ['user', 'project', 'group', 'permission'], enabled: project !== undefined || user.is_owner },
  );
  const capabilities = useMemo(() => data && new Set(data.body.routes), [data]);
  const access = judgeAccess(error, isPending);
  const where = useMemo(() => ({ user, project, capabilities, access }), [user, project, capabilities, access]);
  return <WhereContext value={where}>{children}</WhereContext>;
}

function judgeAccess(error: Error | null, isPending: boolean): Where['access'] {
  if (error instanceof ApiError && error.code === 'project.factor_required') return 'closed';
  return isPending ? 'asking' : 'open';
}

function useWhere(): Where {
  const where = useContext(WhereContext);
  if (!where) throw new Error('used outside the frame');
  return where;
}

/** Returns the open project. Only for components within one. */
export function useProject(): Project {
  const { project } = useWhere();
  if (!project) throw new Error('used outside a project');
  return project;
}

export function useProjectIfAny(): Project | undefined {
  return useWhere().project;
}

/** Whether the session may use the open project. */
export function useProjectAccess(): Where['access'] {
  return useWhere().access;
}

export function useUser(): SessionUser {
  return useWhere().user;
}

/** Decides whether to offer an action at all: `can(routes.service.create)`. */
export function useCan(): (route: Pick<RouteRef, 'id' | 'access'>) => boolean {
  const { user, project, capabilities } = useWhere();
  return (route) => mayCall(route, { user, role: project?.role, capabilities });
}

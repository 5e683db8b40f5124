import type { Role } from '@flotilla/contract';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { mayCall } from '../api/access.ts';
import { type RouteRef, routes, type SessionUser, useApi } from '../api/index.ts';

export interface Project {
  readonly id: string;
  readonly name: string;
  /** Of the signed-in user in it. */
  readonly role: Role;
}

interface Where {
  readonly user: SessionUser;
  /** Undefined for somebody who is in no project. */
  readonly project: Project | undefined;
  /** What the controller lets the user through to here; undefined until it has said so. */
  readonly capabilities: ReadonlySet<string> | undefined;
}

const WhereContext = createContext<Where | undefined>(undefined);

interface WhereProviderProps extends Omit<Where, 'capabilities'> {
  readonly children: ReactNode;
}

export function WhereProvider({ user, project, children }: WhereProviderProps) {
  const { data } = useApi(
    routes.capability.get,
    { query: project ? { project: project.id } : {} },
    { topics: ['user', 'project', 'group', 'permission'], enabled: project !== undefined || user.is_owner },
  );
  const capabilities = useMemo(() => data && new Set(data.body.routes), [data]);
  const where = useMemo(() => ({ user, project, capabilities }), [user, project, capabilities]);
  return <WhereContext value={where}>{children}</WhereContext>;
}

function useWhere(): Where {
  const where = useContext(WhereContext);
  if (!where) throw new Error('used outside the frame');
  return where;
}

/** The open project. Only for what is shown within one. */
export function useProject(): Project {
  const { project } = useWhere();
  if (!project) throw new Error('used outside a project');
  return project;
}

export function useProjectIfAny(): Project | undefined {
  return useWhere().project;
}

export function useUser(): SessionUser {
  return useWhere().user;
}

/** `can(routes.service.create)`: whether to offer an action at all. */
export function useCan(): (route: Pick<RouteRef, 'id' | 'access'>) => boolean {
  const { user, project, capabilities } = useWhere();
  return (route) => mayCall(route, { user, role: project?.role, capabilities });
}

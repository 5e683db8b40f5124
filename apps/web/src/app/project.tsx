import type { Role } from '@flotilla/contract';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { isAllowed } from '../api/access.ts';
import type { RouteRef, SessionUser } from '../api/index.ts';

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
}

const WhereContext = createContext<Where | undefined>(undefined);

export function WhereProvider({ user, project, children }: Where & { children: ReactNode }) {
  const where = useMemo(() => ({ user, project }), [user, project]);
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
export function useCan(): (route: Pick<RouteRef, 'access'>) => boolean {
  const { user, project } = useWhere();
  return (route) => isAllowed(route, user, project?.role ?? 'viewer');
}

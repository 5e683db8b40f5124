import { createContext, useContext } from 'react';
import type { Project } from '../../app/project.tsx';

/** Whose backups are shown; undefined: the installation's. */
const ScopeContext = createContext<Project | undefined>(undefined);
export const ScopeProvider = ScopeContext.Provider;

export function useScope(): { readonly project: Project | undefined; readonly query: { readonly project?: string } } {
  const project = useContext(ScopeContext);
  return { project, query: project ? { project: project.id } : {} };
}

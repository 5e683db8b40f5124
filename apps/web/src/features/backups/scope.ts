import { createContext, useContext } from 'react';
import type { Project } from '../../app/project.tsx';

/** The project whose backups are shown; undefined: the installation. */
const ScopeContext = createContext<Project | undefined>(undefined);
export const ScopeProvider = ScopeContext.Provider;

export function useScope(): { readonly project: Project | undefined; readonly query: { readonly project?: string } } {
  const project = useContext(ScopeContext);
  return { project, query: project ? { project: project.id } : {} };
}

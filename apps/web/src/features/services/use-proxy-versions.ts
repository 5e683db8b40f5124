import { useMemo } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';

export interface KnownVersion {
  readonly version: string;
  readonly documents: number;
  readonly services: number;
}

const NONE: readonly KnownVersion[] = [];

/** Returns selectable proxy versions, newest first, with the number of the project's documents. */
export function useKnownVersions(): readonly KnownVersion[] {
  const project = useProject();
  const { data } = useApi(routes.version.list, { query: { project: project.id } }, { topics: ['document', 'service'] });
  return data?.body.items ?? NONE;
}

export function useProxyVersions(): readonly string[] {
  const known = useKnownVersions();
  return useMemo(() => known.map(({ version }) => version), [known]);
}

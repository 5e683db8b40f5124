import { useMemo } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { type Change, fromAudit, fromRecent } from './marks.ts';
import type { TimeWindow } from './time-window.ts';

const CHANGES_MAX = 100;

/** Returns changes and deployments in the window, newest first, as far as the role may see them. */
export function useChanges({ from, to }: TimeWindow): readonly Change[] {
  const project = useProject();
  const can = useCan();
  const mayAudit = can(routes.audit.list);
  const audit = useApi(
    routes.audit.list,
    { query: { project: project.id, from, to, outcome: ['done'], limit: CHANGES_MAX } },
    { topics: ['audit'], enabled: mayAudit, keepPrevious: true },
  );
  const overview = useApi(
    routes.overview.read,
    { query: { project: project.id } },
    { topics: ['document', 'policy'], enabled: !mayAudit && can(routes.overview.read) },
  );
  const entries = audit.data?.body.items;
  const recent = overview.data?.body.recent;
  return useMemo(
    () => (entries ? fromAudit(entries) : recent ? fromRecent(recent, { from, to }) : []),
    [entries, recent, from, to],
  );
}

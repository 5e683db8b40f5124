import { useMemo } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import type { Option } from '../inventory/index.ts';

const MEMBERS_MAX = 1000;

/** The members who can be owners, for those who may assign findings. */
export function useOwnerOptions(): readonly Option[] {
  const project = useProject();
  const enabled = useCan()(routes.finding.owners);
  const { data } = useApi(
    routes.finding.owners,
    { query: { project: project.id, limit: MEMBERS_MAX } },
    { topics: ['user'], enabled },
  );
  return useMemo(() => data?.body.items.map(({ id, name }) => ({ value: id, label: name })) ?? [], [data]);
}

import type { CallOutput, settingRoutes } from '@flotilla/contract';
import { routes, type SettingKindRef, useApi } from '../../api/index.ts';
import { useProjectIfAny, useUser } from '../../app/project.tsx';

export type SettingKind = CallOutput<typeof settingRoutes.kinds>['items'][number];

/** Returns the query: owners read installation documents without a project, admins read project documents. */
function useSettingQuery(scope: SettingKindRef['scope']): { project?: string } {
  const project = useProjectIfAny();
  const { is_owner } = useUser();
  return (scope === 'installation' && is_owner) || !project ? {} : { project: project.id };
}

/** Loads the kind with its schema, and the user's rights. */
export function useSettingKind({ key, scope }: SettingKindRef) {
  const query = useSettingQuery(scope);
  const kinds = useApi(routes.setting.kinds, { query }, { topics: ['setting'] });
  return { query, kinds, kind: kinds.data?.body.items.find((one) => one.key === key) };
}

import { routes } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { sayFailed, useWrite } from '../../../ui/index.ts';
import type { Service } from '../types.ts';
import { texts } from './texts.tsx';

const text = texts.errorsTab;
const STALE = { stale: [routes.fleet.errors, routes.service.detail, routes.service.list] };

/** Resolves or clears errors of a service. `resolve` reports a failure itself; `clear` rejects with it. */
export function useErrorChanges(service: Service) {
  const project = useProject();
  const write = useWrite();
  const params = { service_id: service.id };
  const query = { project: project.id };
  const resolve = async (ids: readonly string[]) => {
    try {
      await write(
        routes.configError.resolve,
        { params, query, body: { ids: [...ids] } },
        { done: ({ changed }) => text.resolvedDone(changed), ...STALE },
      );
    } catch (error) {
      sayFailed(text.resolveFailed, error);
    }
  };
  const clear = (ids: readonly string[]) =>
    write(
      routes.configError.clear,
      { params, query: { ...query, ids: [...ids] } },
      { done: ({ changed }) => text.clearedDone(changed), ...STALE },
    );
  return { resolve, clear };
}

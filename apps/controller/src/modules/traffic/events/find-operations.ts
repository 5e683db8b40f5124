import { toProjectId } from '@flotilla/event-store';
import { readFilter } from './filter.ts';
import { askStore, type EventSource } from './source.ts';

/** Values of one member are alternatives; members narrow each other. */
export interface TrafficOrigin {
  readonly country?: readonly string[] | undefined;
  readonly asn?: readonly string[] | undefined;
  readonly source_ip?: readonly string[] | undefined;
  readonly user_agent?: readonly string[] | undefined;
}

export interface FoundOperations {
  /** Those with the most requests first. */
  readonly ids: readonly string[];
  /** Further operations had matching requests. */
  readonly truncated: boolean;
}

const OPERATIONS_MAX = 1000;

/**
 * Finds the operations that had matching requests in a window, which has at most seven days. It throws inventory.store_off or
 * inventory.store_failed.
 */
export function createOperationFinder(source: EventSource) {
  return async (
    projectId: string,
    origin: TrafficOrigin,
    { from, to }: { readonly from: Date; readonly to: Date },
  ): Promise<FoundOperations> => {
    const given = Object.entries(origin).flatMap(([name, values]) =>
      values === undefined ? [] : [[name, [...values]] as const],
    );
    const { conditions } = await readFilter(Object.fromEntries(given), { projectId, hashFor: source.hashFor });
    const { data, hasMore } = await askStore(source, (store) =>
      store.groups(toProjectId(projectId), {
        from: from.getTime(),
        to: to.getTime(),
        filter: [...conditions, { column: 'operationId', in: [''], not: true }],
        by: ['operationId'],
        limit: OPERATIONS_MAX,
        resolution: 'raw',
      }),
    );
    return { ids: data.flatMap(({ values }) => values), truncated: hasMore };
  };
}

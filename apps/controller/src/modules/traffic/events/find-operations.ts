import { type Condition, toProjectId } from '@flotilla/event-store';
import { readFilter } from './filter.ts';
import { askStore, type EventSource } from './source.ts';
import type { Window } from './window.ts';

/** Values of one member are alternatives; members narrow each other. */
export interface TrafficOrigin {
  readonly country?: readonly string[] | undefined;
  readonly asn?: readonly string[] | undefined;
  readonly sourceIp?: readonly string[] | undefined;
  readonly userAgent?: readonly string[] | undefined;
  readonly sourceHash?: readonly string[] | undefined;
  readonly userAgentHash?: readonly string[] | undefined;
}

export interface FoundOperations {
  /** Those with the most requests first. */
  readonly operationIds: readonly string[];
  /** Further operations had matching requests. */
  readonly truncated: boolean;
  /** The keys whose hashes were searched; null: no member needs a hash. */
  readonly keyIds: readonly string[] | null;
}

const OPERATIONS_MAX = 1000;

/**
 * The operations that had matching requests in the window, which has at most seven days. `services`: only their requests count. Throws
 * inventory.store_off or inventory.store_failed.
 */
export async function findOperationsByTraffic(
  source: EventSource,
  projectId: string,
  {
    origin,
    window,
    services,
  }: { readonly origin: TrafficOrigin; readonly window: Window; readonly services?: readonly string[] | undefined },
): Promise<FoundOperations> {
  const filter = {
    country: copy(origin.country),
    asn: copy(origin.asn),
    source_ip: copy(origin.sourceIp),
    user_agent: copy(origin.userAgent),
    source: copy(origin.sourceHash),
    user_agent_hash: copy(origin.userAgentHash),
  };
  const { conditions, keyIds } = await readFilter(filter, { projectId, hashFor: source.hashFor });
  const seen: Condition[] = services === undefined ? [] : [{ column: 'service', in: services }];
  const { data, hasMore } = await askStore(source, (store) =>
    store.groups(toProjectId(projectId), {
      ...window,
      filter: [...conditions, ...seen, { column: 'operationId', in: [''], not: true }],
      by: ['operationId'],
      limit: OPERATIONS_MAX,
      resolution: 'raw',
    }),
  );
  return { operationIds: data.flatMap(({ values }) => values), truncated: hasMore, keyIds };
}

const copy = (values: readonly string[] | undefined) => (values === undefined ? undefined : [...values]);

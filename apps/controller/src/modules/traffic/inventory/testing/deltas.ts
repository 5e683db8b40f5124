import type { OperationDelta } from '@flotilla/inventory';
import { createId } from '@flotilla/kit';

const DAY_MS = 86_400_000;

export const SERVICE = createId();
export const CLIENT = createId();

/** One accepted request of a minute ago, without anything remarkable. */
export function createDelta(
  name: string,
  more: Partial<Omit<OperationDelta, 'key'>> & { readonly atMs?: number } = {},
): OperationDelta {
  const [method = 'GET', address = ''] = name.split(' ');
  const slash = address.indexOf('/');
  const [host, normalizedPath] = slash === -1 ? [address, '/'] : [address.slice(0, slash), address.slice(slash)];
  const { atMs = Date.now() - 60_000, ...rest } = more;
  return {
    key: { method: method as 'GET', host, normalizedPath, operation: '' },
    confirmed: true,
    seen: 1,
    firstMs: atMs,
    lastMs: atMs,
    statuses: { 200: rest.seen ?? 1 },
    latencyMaxMs: 12,
    latencyClasses: [0, rest.seen ?? 1, 0, 0, 0, 0],
    responseBytesTotal: 100,
    responseBytesMax: 100,
    requestBytesTotal: 10,
    threatMax: 0,
    exposureMax: 0,
    flags: {},
    pii: {},
    categories: [],
    schemes: {},
    authenticatedMs: 0,
    anonymousMs: 0,
    refusedMs: 0,
    blocked: 0,
    protocols: ['http/2'],
    grpcService: '',
    grpcMethod: '',
    services: [SERVICE],
    clients: [CLIENT],
    listeners: ['web'],
    clusters: [],
    routes: [],
    contentTypes: [],
    origins: [],
    queryNames: [],
    consumers: [],
    ...rest,
  };
}

export const daysAgo = (days: number) => Date.now() - days * DAY_MS;

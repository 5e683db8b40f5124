import type { OperationDelta } from '../operation-delta.ts';

export const NOW_MS = Date.parse('2026-03-01T12:00:00.000Z');

/** One accepted request without anything remarkable. */
export function createDelta(more: Partial<OperationDelta> = {}): OperationDelta {
  return {
    key: { method: 'GET', host: 'shop.example', normalizedPath: '/orders/{id}', operation: '' },
    confirmed: true,
    seen: 1,
    firstMs: NOW_MS - 1000,
    lastMs: NOW_MS - 1000,
    statuses: { 200: 1 },
    latencyMaxMs: 12,
    latencyClasses: [0, 1, 0, 0, 0, 0],
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
    services: [],
    clients: [],
    listeners: ['web'],
    clusters: [],
    routes: [],
    contentTypes: [],
    origins: [],
    queryNames: [],
    consumers: [],
    ...more,
  };
}

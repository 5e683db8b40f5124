import type { LogBatch, LogEntry } from '@flotilla/access-log';

export const NOON_MS = Date.UTC(2026, 10, 2, 12);

/** A harmless request: over TLS, answered by a route, with a token. */
export function createEntry(changes: Partial<LogEntry> = {}): LogEntry {
  return {
    timeMs: NOON_MS - 1000,
    latencyUs: 12_000,
    protocol: 'http/2',
    method: 'GET',
    authority: 'shop.example.com',
    path: '/api/orders',
    status: 200,
    grpcStatus: 255,
    requestBytes: 300,
    responseBytes: 1200,
    requestId: '',
    sourceAddress: '198.51.100.7',
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64)',
    responseFlags: '',
    route: 'orders',
    cluster: 'orders',
    tlsVersion: 'TLSv1_3',
    requestContentType: '',
    contentType: 'application/json',
    graphqlOperation: '',
    origin: '',
    auth: 'jwt',
    identityHash: 'a1b2c3d4e5f60718a1b2c3d4e5f60718',
    tokenLifetimeS: 0,
    queryNames: [],
    queryPii: [],
    signs: [],
    action: '',
    engine: '',
    ...changes,
  };
}

export function createLogBatch(entries: readonly LogEntry[], changes: Partial<LogBatch> = {}): LogBatch {
  return { epoch: 'epoch', sequence: 1, listener: 'public', entries, ...changes };
}

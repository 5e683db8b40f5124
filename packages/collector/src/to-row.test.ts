import { createHmac } from 'node:crypto';
import type { LogEntry } from '@flotilla/access-log';
import { fromMarkBits, toOperationId } from '@flotilla/inventory';
import { expect, it } from 'vitest';
import { createEntry, NOON_MS } from './testing/entries.ts';
import { collect, createPipeline, KEY } from './testing/pipeline.ts';

const hash = (kind: string, text: string) =>
  text === '' ? '' : createHmac('sha256', KEY).update(`${kind}\0${text}`).digest('hex').slice(0, 16);

/** The event of a request of the operation `/api/orders`, without a table or a column. */
function describeEvent(entry: LogEntry, object: string) {
  const normalizedPath = object === '' ? '/api/orders' : '/api/orders/{id}';
  const method = entry.method as 'GET';
  const key = { method, host: 'shop.example.com', normalizedPath, operation: '' };
  return {
    timeMs: entry.timeMs,
    service: 'service-1',
    client: 'client-1',
    listener: 'public',
    protocol: entry.protocol,
    method: entry.method,
    host: 'shop.example.com',
    path: normalizedPath,
    route: entry.route,
    cluster: entry.cluster,
    authScheme: entry.auth,
    tlsVersion: entry.tlsVersion,
    contentType: entry.contentType,
    status: entry.status,
    grpcStatus: 255,
    latencyUs: entry.latencyUs,
    requestBytes: entry.requestBytes,
    responseBytes: entry.responseBytes,
    weight: 1,
    operationId: toOperationId('project-1', key),
    consumer: hash('consumer', entry.identityHash),
    source: hash('source', entry.sourceAddress),
    userAgent: hash('userAgent', entry.userAgent),
    object: hash('object', object),
    requestId: entry.requestId,
  };
}

it('writes each request into the columns as it is described one by one', () => {
  const entries = Array.from({ length: 400 }, (_, index) => {
    const id = index % 3 === 0 ? '' : String(1000 + (index % 7));
    const entry = createEntry({
      timeMs: NOON_MS - 1000 - index,
      path: id === '' ? '/api/orders' : `/api/orders/${id}`,
      method: index % 2 ? 'GET' : 'POST',
      status: [200, 201, 400, 500][index % 4] ?? 200,
      latencyUs: index * 977,
      requestBytes: index * 2 ** 33,
      responseBytes: index * 13,
      sourceAddress: `198.51.100.${index % 20}`,
      identityHash: index % 5 === 0 ? '' : (index % 9).toString(16).padStart(32, '0'),
      auth: index % 5 === 0 ? 'none' : 'jwt',
      userAgent: `agent ${index % 4}`,
      requestId: `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`,
      route: `route-${index % 4}`,
    });
    return { entry, id };
  });
  const pipeline = createPipeline();
  const sent = entries.map(({ entry }) => entry);
  collect(pipeline, sent);
  const { events } = collect(pipeline, sent);
  expect(events).toMatchObject(entries.map(({ entry, id }) => describeEvent(entry, id)));
  for (const [index, { marks = [] }] of events.entries()) {
    const names = fromMarkBits(marks);
    expect(names.includes('anonymous')).toBe(index % 5 === 0);
    expect(names.includes('authenticated')).toBe(index % 5 !== 0);
  }
});

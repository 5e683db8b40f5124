// Writes batches of requests for the measurement of the collector, each behind its length: `node bench/src/collector-pool.ts BATCHES ENTRIES`.
import { writeSync } from 'node:fs';
import { compressBatch, encodeBatch, type LogEntry } from '@flotilla/access-log';

const [batches = 1, perBatch = 1] = process.argv.slice(2).map(Number);

let seed = 1;
const random = () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
const hex = (digits: number) =>
  Array.from({ length: digits / 8 }, () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  ).join('');

/** 200 operations, half of them with an id in the path; 5,000 consumers, 20,000 addresses, a request id for each request. */
function createRequest(timeMs: number): LogEntry {
  const operation = Math.floor(random() ** 3 * 200);
  const consumer = Math.floor(random() ** 2 * 5000);
  const source = Math.floor(random() ** 2 * 20_000);
  const path = `/v1/${WORDS[operation % WORDS.length]}/${WORDS[Math.floor(operation / WORDS.length)]}`;
  return {
    timeMs,
    latencyUs: Math.floor(10 ** (3 + random() * 2.5)),
    protocol: pick(['http/2', 'http/1.1']),
    method: operation % 3 === 0 ? 'POST' : 'GET',
    authority: `api-${operation % 5}.example.com`,
    path: operation % 2 ? `${path}/${Math.floor(random() * 1e6)}` : path,
    status: random() < 0.95 ? 200 : pick([201, 400, 404, 429, 500, 503]),
    grpcStatus: 255,
    requestBytes: Math.floor(random() * 2000),
    responseBytes: Math.floor(10 ** (2 + random() * 3)),
    requestId: hex(32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    sourceAddress: `203.0.${source >> 8}.${source & 255}`,
    userAgent: pick(AGENTS),
    responseFlags: '',
    route: `route-${operation % 40}`,
    cluster: `cluster-${operation % 20}`,
    tlsVersion: 'TLSv1_3',
    requestContentType: 'application/json',
    contentType: 'application/json',
    graphqlOperation: '',
    origin: '',
    auth: 'jwt',
    identityHash: consumer.toString(16).padStart(32, '0'),
    tokenLifetimeS: 3600,
    queryNames: [],
    queryPii: [],
    signs: [],
    action: '',
    engine: '',
  };
}

const WORDS = [
  'orders',
  'carts',
  'users',
  'invoices',
  'products',
  'reviews',
  'shipments',
  'stores',
  'coupons',
  'brands',
  'sizes',
  'prices',
  'stocks',
  'labels',
];
const AGENTS = ['okhttp/4.12', 'Mozilla/5.0 (X11; Linux x86_64)', 'python-requests/2.32', 'Go-http-client/2.0'];

const startMs = Date.now() - batches * 100;
for (let index = 0; index < batches; index += 1) {
  const entries = Array.from({ length: perBatch }, (_, at) => createRequest(startMs + index * 100 + at / 50));
  const payload = await compressBatch(encodeBatch({ listener: 'https', entries }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(payload.length);
  writeAll(Buffer.concat([length, payload]));
}

function writeAll(bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
}

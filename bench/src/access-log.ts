// node bench/src/access-log.ts
import { BatchWriter, compressBatch, decodeBatch, type LogEntry, MessageReader, Reducer } from '@flotilla/access-log';
import { encodeRequests, requestOf } from '@flotilla/access-log/testing';

/** Entries per second of CPU, on one core: what an agent does with Envoy's messages, and what a collector does with batches. */
const ENTRIES = 10_000;
const PER_MESSAGE = 400;
const ROUNDS = 20;

const AGENTS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/130.0',
  'curl/8.5.0',
  'okhttp/4.12.0',
];
const TOKENS = Array.from({ length: 200 }, (_, i) => {
  const claims = { sub: `user-${i}`, iat: 1_767_000_000, exp: 1_767_003_600, scope: 'orders:read orders:write' };
  return `Bearer eyJhbGciOiJIUzI1NiJ9.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${'s'.repeat(43)}`;
});

/** The traffic of an API: 200 clients, some thousand paths, a third of the requests with a query. */
function createMessages(): Buffer[] {
  const entries = Array.from({ length: ENTRIES }, (_, i) =>
    requestOf({
      common: {
        start_time: new Date(1_767_000_000_000 + i).toISOString(),
        time_to_last_downstream_tx_byte: `0.0${10 + (i % 80)}s`,
      },
      request: {
        path: `/v1/orders/${i % 5000}${i % 3 === 0 ? `?page=${i % 7}&expand=items&email=user${i % 50}%40example.com` : ''}`,
        user_agent: AGENTS[i % AGENTS.length],
        request_id: crypto.randomUUID(),
        request_headers: {
          authorization: TOKENS[i % TOKENS.length],
          'content-type': 'application/json',
          cookie: 'theme=dark; session=0123456789abcdef0123456789abcdef',
          origin: 'https://shop.example.com',
        },
      },
      response: {
        response_code: i % 20 === 0 ? 404 : 200,
        response_headers: {
          'content-type': 'application/json; charset=utf-8',
          'strict-transport-security': 'max-age=31536000',
          server: 'envoy',
        },
      },
    }),
  );
  return Array.from({ length: ENTRIES / PER_MESSAGE }, (_, i) =>
    encodeRequests(...entries.slice(i * PER_MESSAGE, (i + 1) * PER_MESSAGE)),
  );
}

const messages = createMessages();
const reader = new MessageReader();
const reducer = new Reducer();

function readReduceEncode(): Buffer {
  const writer = new BatchWriter('http');
  for (const message of messages) {
    reader.readEntries(message, (raw) => {
      writer.add(reducer.reduce(raw, { isFiltered: true }));
    });
  }
  return writer.finish();
}

/** Entries per second of CPU time of the whole process, including garbage collection in other threads. */
async function measure(work: () => unknown): Promise<number> {
  for (let round = 0; round < 5; round += 1) await work();
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round += 1) await work();
  const { user, system } = process.cpuUsage(before);
  return Math.round((ENTRIES * ROUNDS) / ((user + system) / 1e6));
}

const plain = readReduceEncode();
const packed = await compressBatch(plain);
const entries: LogEntry[] = [];
for (const message of messages)
  reader.readEntries(message, (raw) => entries.push(reducer.reduce(raw, { isFiltered: true })));

const rates: Record<string, number> = Object.fromEntries([
  [
    'read and reduce',
    await measure(() =>
      messages.map((one) => reader.readEntries(one, (raw) => reducer.reduce(raw, { isFiltered: true }))),
    ),
  ],
  [
    'encode',
    await measure(() => {
      const writer = new BatchWriter('http');
      for (const entry of entries) writer.add(entry);
      return writer.finish();
    }),
  ],
  ['read, reduce and encode', await measure(readReduceEncode)],
  ['read, reduce, encode and compress', await measure(() => compressBatch(readReduceEncode()))],
  ['decode', await measure(() => decodeBatch(plain))],
  ['decompress and decode', await measure(() => decodeBatch(packed))],
]);
const input = messages.reduce((sum, { length }) => sum + length, 0);
console.table({ 'entries per CPU second': rates });
console.table({
  'bytes per entry': {
    'message of Envoy': Math.round(input / ENTRIES),
    batch: Math.round(plain.length / ENTRIES),
    'compressed batch': Math.round(packed.length / ENTRIES),
  },
});

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger } from '@flotilla/kit';
import type { FindingLog } from '../events/finding-log.ts';
import { FINDING_PAGE_MAX } from '../events/finding-ring.ts';
import { formatAddress, isLoopback, type ListenAddress, removeDeadSocket, restrictSocket } from '../listen-address.ts';
import type { MinuteBook } from '../metrics/minute-book.ts';
import type { ShieldMetrics } from '../metrics/shield-metrics.ts';
import type { PolicySource } from '../policy-source.ts';
import type { SelfTestResult } from '../self-test/self-test.ts';
import { type DutyReading, describeConfig, type ThreadReading } from './describe-config.ts';
import type { RawTrial } from './explain-messages.ts';
import { ExplainProcess } from './explain-process.ts';
import { readBody } from './read-body.ts';
import { isRebound } from './rebinding.ts';

/** A client that sends its request more slowly is disconnected. */
const REQUEST_TIMEOUT_MS = 5000;
/** Interval of that check; with Node's default of 30 s a slow client would stay at least that long. */
const TIMEOUT_CHECK_MS = 1000;
/** For scrapers, the agent and people. Each may hold a complete trial in memory. */
const CONNECTIONS_MAX = 64;
/** Queued trials are kept in the memory of the filter, so the limit may be lower than elsewhere. */
const TRIAL_MAX_BYTES = 2 * 1024 * 1024;
/** In seconds. A trial takes a fraction of one, unless it was crafted to be slow. */
const RETRY_AFTER_BUSY = '1';
const EVENTS_DEFAULT = 100;

export interface AdminOptions {
  /** The filter's own name. */
  readonly node: string;
  readonly source: PolicySource;
  readonly metrics: ShieldMetrics;
  readonly minutes: MinuteBook;
  readonly findings: FindingLog;
  readonly selfTest: () => SelfTestResult;
  /** Only a filter that is `serving` handles exchanges. */
  readonly duty: () => DutyReading;
  /** Its name among several filters in one folder. */
  readonly pair: string | undefined;
  readonly threads: () => readonly ThreadReading[];
  /** Default for trials that do not set it. */
  readonly trustedHops: number;
  readonly logger: Logger;
}

export interface AdminServer {
  listen(address: ListenAddress): Promise<void>;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly contentType?: string;
  /** Headers besides those of every response. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * HTTP for operators: /metrics, /healthz, /readyz, /configz, /events, /explain, and /countersz for the agent. Nothing
 * here changes the filter.
 */
export function createAdminServer(options: AdminOptions): AdminServer {
  let isGuarded = false;
  const explainer = new ExplainProcess({ bundle: () => options.source.packed, trustedHops: options.trustedHops });
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    },
    (request, response) => {
      if (isGuarded && isRebound(request.headers.host)) {
        return send(response, text(403, 'name this host by its address or as localhost\n'));
      }
      route(options, explainer, request).then(
        (answer) => send(response, answer),
        (error: unknown) => {
          options.logger.error({ event: 'admin_failed', err: error });
          send(response, text(500, 'the request could not be answered\n'));
        },
      );
    },
  );
  server.maxConnections = CONNECTIONS_MAX;
  return {
    listen(address) {
      isGuarded = address.kind === 'tcp' && isLoopback(address);
      return listen(server, address);
    },
    async close() {
      await close(server);
      await explainer.close();
    },
  };
}

async function route(options: AdminOptions, explainer: ExplainProcess, request: IncomingMessage): Promise<Answer> {
  const [path = '/', query = ''] = (request.url ?? '/').split('?', 2);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (path === '/explain' && (isRead || request.method === 'POST')) return explain(explainer, request, query);
  if (!isRead)
    return {
      ...text(405, 'only GET is served here\n'),
      headers: { allow: path === '/explain' ? 'GET, POST' : 'GET, HEAD' },
    };
  switch (path) {
    case '/healthz':
      return text(200, 'ok\n');
    case '/readyz':
      return describeReadiness(options);
    case '/configz':
      return json(
        200,
        describeConfig({ ...options, selfTest: options.selfTest(), duty: options.duty(), threads: options.threads() }),
      );
    case '/countersz':
      return listCounters(options.minutes, new URLSearchParams(query));
    case '/events':
      return listEvents(options.findings, new URLSearchParams(query));
    case '/metrics':
      return { status: 200, body: await options.metrics.render(), contentType: options.metrics.contentType };
    default:
      return text(404, 'see /metrics, /healthz, /readyz, /configz, /countersz, /events, /explain\n');
  }
}

/** Not ready while nothing is served, and while Envoy is configured so that the filter cannot work. */
function describeReadiness({ duty, selfTest }: AdminOptions): Answer {
  if (duty() !== 'serving') return text(503, 'not serving\n');
  const { state, problems } = selfTest();
  const lines = problems.map((problem) => `${problem}\n`).join('');
  return state === 'failing' ? text(503, `self-test failing\n${lines}`) : text(200, `ready\n${lines}`);
}

function listCounters(minutes: MinuteBook, query: URLSearchParams): Answer {
  const after = Number(query.get('after') ?? 0);
  if (!Number.isSafeInteger(after) || after < 0) return json(400, { error: 'after must be a number from 0' });
  return json(200, minutes.read(after));
}

function listEvents(findings: FindingLog, query: URLSearchParams): Answer {
  const after = Number(query.get('after') ?? 0);
  const limit = Number(query.get('limit') ?? EVENTS_DEFAULT);
  if (!Number.isSafeInteger(after) || after < 0) return json(400, { error: 'after must be a number from 0' });
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > FINDING_PAGE_MAX) {
    return json(400, { error: `limit must be a number from 1 to ${FINDING_PAGE_MAX}` });
  }
  return json(200, findings.page(after, limit));
}

async function explain(explainer: ExplainProcess, request: IncomingMessage, query: string): Promise<Answer> {
  let trial: RawTrial = { kind: 'query', query };
  if (request.method === 'POST') {
    const bytes = await readBody(request, TRIAL_MAX_BYTES);
    if (bytes === undefined) return json(413, { error: `the body is larger than ${TRIAL_MAX_BYTES} bytes` });
    trial = { kind: 'body', bytes };
  }
  const answer = await explainer.explain(trial);
  switch (answer.kind) {
    case 'explained':
      return { status: 200, body: `${answer.json}\n`, contentType: 'application/json' };
    case 'refused':
      return json(400, { error: answer.error });
    case 'busy':
      return {
        ...json(503, { error: 'as many requests as fit are being tried already' }),
        headers: { 'retry-after': RETRY_AFTER_BUSY },
      };
    case 'too_slow':
      return json(422, { error: `this took longer than ${answer.seconds} seconds and was given up` });
  }
}

function text(status: number, body: string): Answer {
  return { status, body };
}

function json(status: number, value: unknown): Answer {
  return { status, body: `${JSON.stringify(value, null, 2)}\n`, contentType: 'application/json' };
}

function send(response: ServerResponse, { status, body, contentType, headers }: Answer): void {
  response
    .writeHead(status, {
      'content-type': contentType ?? 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      ...headers,
      // The unread rest of a body would be read as the next request.
      ...(status === 413 ? { connection: 'close' } : {}),
    })
    .end(body);
}

async function listen(server: Server, address: ListenAddress): Promise<void> {
  if (address.kind === 'unix') await removeDeadSocket(address.path);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', (error) => {
    reject(new Error(`cannot listen on ${formatAddress(address)}: ${error.message}`, { cause: error }));
  });
  if (address.kind === 'unix') server.listen(address.path, resolve);
  else server.listen(address.port, address.host, resolve);
  await promise;
  if (address.kind === 'unix') await restrictSocket(address.path);
}

function close(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  return promise;
}

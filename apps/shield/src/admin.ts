import { createServer, type Server, type ServerResponse } from 'node:http';
import type { CounterBook } from '@flotilla/decision';
import { formatProblem } from '@flotilla/policy';
import { formatAddress, type ListenAddress, removeDeadSocket, restrictSocket } from './listen-address.ts';
import type { ShieldMetrics } from './metrics.ts';
import type { PolicySource } from './policy-source.ts';

/** A client that sends its request slower than this is cut. */
const REQUEST_TIMEOUT_MS = 5000;
const PROBLEMS_SHOWN_MAX = 100;

export interface AdminOptions {
  readonly source: PolicySource;
  readonly metrics: ShieldMetrics;
  readonly counters: CounterBook;
  /** True while exchanges are served. */
  readonly isReady: () => boolean;
}

export interface AdminServer {
  listen(address: ListenAddress): Promise<void>;
  close(): Promise<void>;
}

/** Read-only HTTP for operators: /metrics, /healthz, /readyz, /configz, and /countersz for the agent. */
export function createAdminServer(options: AdminOptions): AdminServer {
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
    (request, response) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.setHeader('allow', 'GET, HEAD');
        return answer(response, 405, 'only GET is served here\n');
      }
      const path = (request.url ?? '/').split('?')[0];
      switch (path) {
        case '/healthz':
          return answer(response, 200, 'ok\n');
        case '/readyz':
          return options.isReady() ? answer(response, 200, 'ready\n') : answer(response, 503, 'not serving\n');
        case '/configz':
          return answer(
            response,
            200,
            `${JSON.stringify(describeConfig(options.source), null, 2)}\n`,
            'application/json',
          );
        case '/countersz':
          return answer(response, 200, `${JSON.stringify(options.counters.read())}\n`, 'application/json');
        case '/metrics': {
          const { registry } = options.metrics;
          registry.metrics().then(
            (text) => answer(response, 200, text, registry.contentType),
            () => answer(response, 500, 'metrics could not be read\n'),
          );
          return;
        }
        default:
          return answer(response, 404, 'see /metrics, /healthz, /readyz, /configz, /countersz\n');
      }
    },
  );
  return { listen: (address) => listen(server, address), close: () => close(server) };
}

/** What holds and what was last turned away. `version` is the digest of the bundle that holds. */
function describeConfig(source: PolicySource) {
  const { current, failure } = source;
  return {
    version: current.digest,
    domains: current.domainCount,
    policies: current.policyNames,
    built_at: new Date(current.builtAtMs).toISOString(),
    consecutive_failures: source.consecutiveFailures,
    last_error:
      failure === undefined
        ? null
        : {
            at: new Date(failure.atMs).toISOString(),
            message: failure.problems.slice(0, PROBLEMS_SHOWN_MAX).map(formatProblem).join('\n'),
            problems: failure.problems.slice(0, PROBLEMS_SHOWN_MAX),
          },
  };
}

function answer(
  response: ServerResponse,
  status: number,
  body: string,
  contentType = 'text/plain; charset=utf-8',
): void {
  response.writeHead(status, { 'content-type': contentType, 'x-content-type-options': 'nosniff' }).end(body);
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

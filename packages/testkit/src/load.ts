import { Agent, request } from 'node:http';

/** The outcomes of the requests of a load. */
export interface LoadResult {
  readonly sent: number;
  /** Responses by status code. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Refused or reset connections, truncated responses and 5xx responses, as `code at second 1.23`. */
  readonly failures: readonly string[];
}

export interface LoadOptions {
  readonly port: number;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly perSecond: number;
  /** Uses a new connection for every request, which reveals refused connections. */
  readonly newConnections?: boolean;
}

const TICK_MS = 10;

/** More than a healthy proxy leaves open at these rates. A machine that is too slow for the rate gets fewer requests. */
const PENDING_MAX = 100;

const ANSWER_LIMIT_MS = 60_000;

/**
 * Sends at a fixed rate until stopped, but never has more than `PENDING_MAX` requests open. Every request must be
 * answered: a connection error or a truncated response is a failure.
 */
export function startLoad(options: LoadOptions): { stop(): Promise<LoadResult>; readonly failures: readonly string[] } {
  const agent = new Agent({ keepAlive: !options.newConnections });
  const statuses = new Map<number, number>();
  const failures: string[] = [];
  const pending = new Set<Promise<void>>();
  const startedAt = performance.now();
  const elapsed = () => ((performance.now() - startedAt) / 1000).toFixed(2);
  let sent = 0;
  let due = 0;

  const timer = setInterval(() => {
    const last = due;
    due = Math.floor(((performance.now() - startedAt) / 1000) * options.perSecond);
    for (let left = Math.min(due - last, PENDING_MAX - pending.size); left > 0; left -= 1) {
      sent += 1;
      const one = send(options, agent).then(
        ({ status, text }) => {
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          if (status >= 500) failures.push(`HTTP ${status} (${text.slice(0, 120).trim()}) at second ${elapsed()}`);
        },
        (error: NodeJS.ErrnoException) => void failures.push(`${error.code ?? error.message} at second ${elapsed()}`),
      );
      pending.add(one);
      void one.finally(() => pending.delete(one));
    }
  }, TICK_MS);

  return {
    failures,
    async stop() {
      clearInterval(timer);
      await Promise.all(pending);
      agent.destroy();
      return { sent, statuses, failures };
    },
  };
}

function send(options: LoadOptions, agent: Agent): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port: options.port,
        path: options.path,
        headers: options.headers,
        agent,
        timeout: ANSWER_LIMIT_MS,
      },
      (response) => {
        response.on('error', reject);
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${ANSWER_LIMIT_MS / 1000} s`)));
    outgoing.on('error', reject);
    outgoing.end();
  });
}

import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** The client runs in its own thread, so that its cost is not attributed to the server. */
const CLIENT = `
const { parentPort, workerData } = require('node:worker_threads');
const http = require('node:http');
const agent = new http.Agent({ keepAlive: true });
let prepared;
parentPort.on('message', (message) => {
  const { id } = message;
  if (message.prepare) { prepared = message.prepare; parentPort.postMessage({ id }); return; }
  const answer = (status, bytes, head) => parentPort.postMessage({ id, status, bytes, head });
  const { method, path, headers, body } = prepared;
  const request = http.request({ host: '127.0.0.1', port: workerData.port, agent, method, path, headers }, (response) => {
    let bytes = 0;
    let head = '';
    response.on('data', (chunk) => {
      bytes += chunk.length;
      if (head.length < 300) head += chunk.toString('latin1', 0, 300);
    });
    response.on('end', () => answer(response.statusCode, bytes, head));
    response.on('error', (error) => answer(0, bytes, String(error)));
  });
  request.on('error', (error) => answer(0, 0, String(error)));
  request.end(body);
});
`;

export interface LoopRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
  /** JSON by default. */
  readonly contentType?: string;
}

interface LoopAnswer {
  readonly id: number;
  readonly status: number;
  readonly bytes: number;
  readonly head: string;
}

export interface Turn extends LoopAnswer {
  /** CPU time that this thread used for its longest turn while the request was answered. */
  readonly longestMs: number;
}

const BEAT_MS = 1;

/** Sends requests over HTTP to this process and measures the longest turn of its event loop for each. */
export class LoopClient {
  readonly #worker: Worker;
  #lastId = 0;

  constructor(port: number) {
    this.#worker = new Worker(CLIENT, { eval: true, workerData: { port } });
  }

  async send({ body, headers = {}, contentType = 'application/json', ...request }: LoopRequest): Promise<Turn> {
    const bytes = body === undefined ? undefined : new Uint8Array(Buffer.from(body));
    const head = { ...headers, ...(bytes && { 'content-type': contentType, 'content-length': bytes.length }) };
    await this.#ask({ prepare: { ...request, headers: head, body: bytes } }, bytes ? [bytes.buffer] : []);
    const watch = watchLoop();
    const answer = await this.#ask({}, []);
    // Includes the work that follows the answer: records, notifications.
    await sleep(10);
    return { ...answer, longestMs: watch.stop() };
  }

  /** Ignores the answer to an earlier question, which a test that timed out may have left behind. */
  async #ask(message: object, transferred: readonly ArrayBuffer[]): Promise<LoopAnswer> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#worker.postMessage({ ...message, id }, transferred);
    for (;;) {
      const [answer] = (await once(this.#worker, 'message')) as [LoopAnswer];
      if (answer.id === id) return answer;
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** Follows the turns of this thread's loop by their CPU time, which no other program of the machine makes longer. */
export function watchLoop(): { stop(): number } {
  let longest = 0;
  let last = cpuMs();
  const beat = () => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(beat, BEAT_MS);
  return {
    stop: () => {
      beat();
      clearInterval(timer);
      return longest;
    },
  };
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The longest turn that docs/security.md allows, on the machine of docs/performance.md. */
const TURN_MAX_MS = 50;
/** The result of `calibrate` on that machine. */
const REFERENCE_MS = 7.5;
/** The first run of code takes longer, and so does a run that meets a garbage collection. */
const ATTEMPTS_MAX = 3;
/** The event loop of this process, which serves `app` to a client in another thread. */
export class MeasuredLoop {
  readonly client: LoopClient;
  /** CPU time. */
  readonly turnMaxMs = TURN_MAX_MS * Math.max(1, calibrate() / REFERENCE_MS);

  private constructor(port: number) {
    this.client = new LoopClient(port);
  }

  static async open(app: ListeningApp): Promise<MeasuredLoop> {
    await app.listen({ port: 0, host: '127.0.0.1' });
    const address = app.server.address();
    if (address === null || typeof address === 'string') throw new Error('the server has no port');
    return new MeasuredLoop(address.port);
  }

  measure(request: LoopRequest): Promise<Turn> {
    return this.best(() => this.client.send(request));
  }

  /** Returns the shortest of up to three attempts: everything else on the machine only makes a turn longer. */
  async best<T extends { readonly longestMs: number }>(attempt: (number: number) => Promise<T>): Promise<T> {
    let best = await attempt(1);
    for (let number = 2; number <= ATTEMPTS_MAX && best.longestMs > this.turnMaxMs; number += 1) {
      const again = await attempt(number);
      if (again.longestMs < best.longestMs) best = again;
    }
    return best;
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}

interface ListeningApp {
  readonly server: Server;
  listen(options: { port: number; host: string }): Promise<unknown>;
}

/** Measures how long this machine takes for a fixed piece of work, by the same clock. Returns the median. */
function calibrate(): number {
  const text = JSON.stringify(
    Array.from({ length: 20_000 }, (_, n) => ({ id: n, name: `name-${n}`, tags: ['a', 'b'] })),
  );
  const runs = Array.from({ length: 9 }, () => {
    const began = cpuMs();
    for (let i = 0; i < 4; i += 1) JSON.parse(text);
    return (cpuMs() - began) / 4;
  });
  return runs.toSorted((a, b) => a - b)[4] ?? 0;
}

import { Agent, type OutgoingHttpHeaders, request } from 'node:http';
import type { SentRequest } from './reading.ts';

const ANSWER_TIMEOUT_MS = 20_000;

/** Sends requests unchanged to a local port, over persistent connections. */
export class HttpClient {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #port: number;
  readonly #headers: OutgoingHttpHeaders;

  /** `headers` are added to every request. */
  constructor(port: number, headers: OutgoingHttpHeaders = {}) {
    this.#port = port;
    this.#headers = headers;
  }

  /** Returns the body of the response. Reopens a connection that the program has closed, once. */
  async send(sent: SentRequest): Promise<Buffer> {
    try {
      return await this.#send(sent);
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error) || error.code !== 'ECONNRESET') throw error;
      return this.#send(sent);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #send({ method, target, type, body }: SentRequest): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const headers = {
      ...this.#headers,
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(body.length === 0 && method === 'GET' ? {} : { 'content-length': body.length }),
    };
    const options = { host: '127.0.0.1', port: this.#port, agent: this.#agent, method, path: target, headers };
    const outgoing = request({ ...options, timeout: ANSWER_TIMEOUT_MS }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => resolve(Buffer.concat(chunks)));
      answer.on('error', reject);
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer to ${method} ${target}`)));
    outgoing.on('error', reject);
    outgoing.end(body);
    return promise;
  }
}

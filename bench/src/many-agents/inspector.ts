import { writeFile } from 'node:fs/promises';

export interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
}

type Answer = { readonly id?: number; readonly method?: string; readonly params?: { chunk?: string } } & {
  // biome-ignore lint/suspicious/noExplicitAny: results of any shape
  readonly result?: any;
};

const DEADLINE_MS = 120_000;

/** A connection to the inspector of a Node process that was started with `--inspect=127.0.0.1:PORT`. */
export class Inspector {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  readonly #chunks: string[] = [];
  #id = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#take(JSON.parse(String(data))));
  }

  static async connect(port: number): Promise<Inspector> {
    const answer = await fetch(`http://127.0.0.1:${port}/json`);
    const [target] = (await answer.json()) as Array<{ webSocketDebuggerUrl: string }>;
    if (!target) throw new Error(`the inspector at port ${port} has no target`);
    const socket = new WebSocket(target.webSocketDebuggerUrl);
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve());
      socket.addEventListener('error', () => reject(new Error('the inspector refuses a connection')));
    });
    return new Inspector(socket);
  }

  /** Collects the garbage, twice because finalizers free more, and reads the memory. */
  async readMemory(): Promise<Memory> {
    for (let round = 0; round < 2; round += 1) await this.#call('HeapProfiler.collectGarbage');
    const { result } = await this.#call('Runtime.evaluate', {
      expression: 'JSON.stringify(process.memoryUsage())',
      returnByValue: true,
    });
    return JSON.parse(result.value);
  }

  async startCpuProfile(): Promise<void> {
    await this.#call('Profiler.enable');
    await this.#call('Profiler.start');
  }

  async stopCpuProfile(file: string): Promise<void> {
    const { profile } = await this.#call('Profiler.stop');
    await this.#call('Profiler.disable');
    await writeFile(file, JSON.stringify(profile));
  }

  async writeHeapSnapshot(file: string): Promise<void> {
    this.#chunks.length = 0;
    await this.#call('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
    await writeFile(file, this.#chunks.join(''));
    this.#chunks.length = 0;
  }

  close(): void {
    this.#socket.close();
  }

  async #call(method: string, params: object = {}) {
    this.#id += 1;
    const id = this.#id;
    const answered = Promise.withResolvers<Answer>();
    const timer = setTimeout(() => answered.reject(new Error(`${method} was not answered`)), DEADLINE_MS);
    this.#waiting.set(id, answered.resolve);
    this.#socket.send(JSON.stringify({ id, method, params }));
    try {
      return (await answered.promise).result;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  #take(answer: Answer): void {
    if (answer.method === 'HeapProfiler.addHeapSnapshotChunk') this.#chunks.push(answer.params?.chunk ?? '');
    if (answer.id !== undefined) this.#waiting.get(answer.id)?.(answer);
  }
}

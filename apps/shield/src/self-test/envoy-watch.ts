import { hash } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { toErrorMessage } from '@flotilla/kit';
import type { EnvoyJson } from '@flotilla/policy';
import { formatAddress, type ListenAddress } from '../listen-address.ts';
import { findWiringFaults, type WiringDemands } from './envoy-wiring.ts';
import type { SelfTestResult } from './self-test.ts';

/** Interval of requests to an available Envoy, and to an unavailable one. */
const ASK_EVERY_MS = 5000;
const RETRY_EVERY_MS = 1000;
const TIMEOUT_MS = 2000;
/** A restarting Envoy is away for a moment; a longer absence is reported. */
const SILENCE_MS = 10_000;
/** Limit for one response. Parsed in the serving thread: a few milliseconds per megabyte, once per change. */
const ANSWER_MAX_BYTES = 4 * 1024 * 1024;

const LISTENERS = ['static_listeners', 'dynamic_listeners'] as const;
const CLUSTERS = ['static_clusters', 'dynamic_active_clusters'] as const;

export interface EnvoyWatchOptions {
  readonly admin: ListenAddress;
  /** The current demands; `digest` changes with the policies. */
  readonly demands: () => WiringDemands & { readonly digest: string };
  readonly onChange: (reading: SelfTestResult) => void;
}

/**
 * Reads from Envoy's own configuration (`/config_dump` of its admin endpoint) whether it is configured so that the
 * filter can work, which traffic alone does not show. *unknown* while Envoy does not answer, with the reason after some
 * seconds; otherwise *ok* or *failing*.
 */
export class EnvoyWatch {
  readonly #options: EnvoyWatchOptions;
  readonly #closing = new AbortController();
  #reading: SelfTestResult = { state: 'unknown', problems: [] };
  /** The last checked state. */
  #judged = '';
  #heardAtMs = performance.now();
  #running: Promise<void> = Promise.resolve();

  constructor(options: EnvoyWatchOptions) {
    this.#options = options;
  }

  get reading(): SelfTestResult {
    return this.#reading;
  }

  start(): void {
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const hasAnswered = await this.#look();
      await wait(hasAnswered ? ASK_EVERY_MS : RETRY_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #look(): Promise<boolean> {
    const { admin, demands } = this.#options;
    try {
      const texts: string[] = [];
      for (const resource of [...LISTENERS, ...CLUSTERS]) texts.push(await this.#read(resource));
      this.#heardAtMs = performance.now();
      const wanted = demands();
      const judged = hash('sha256', [wanted.digest, ...texts].join('\n'), 'hex');
      if (judged === this.#judged) return true;
      const [fixed, dynamic, ...clusters] = texts.map(parseConfigs);
      const faults = findWiringFaults(
        { listeners: [...(fixed ?? []), ...(dynamic ?? [])], clusters: clusters.flat() },
        wanted,
      );
      this.#judged = judged;
      this.#tell({ state: faults.length > 0 ? 'failing' : 'ok', problems: faults });
      return true;
    } catch (error) {
      if (this.#closing.signal.aborted) return false;
      this.#judged = '';
      const reason = toErrorMessage(error);
      const isLong = performance.now() - this.#heardAtMs >= SILENCE_MS;
      const problem = `Envoy's configuration cannot be read at ${formatAddress(admin)}: ${reason}`;
      this.#tell({ state: 'unknown', problems: isLong ? [problem] : [] });
      return false;
    }
  }

  #tell(reading: SelfTestResult): void {
    const isSame = JSON.stringify(reading) === JSON.stringify(this.#reading);
    this.#reading = reading;
    if (!isSame) this.#options.onChange(reading);
  }

  #read(resource: string): Promise<string> {
    const { admin } = this.#options;
    const where = admin.kind === 'unix' ? { socketPath: admin.path } : { host: admin.host, port: admin.port };
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const path = `/config_dump?resource=${resource}`;
    const headers = { host: 'localhost' };
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const call = request({ ...where, path, headers, agent: false, signal }, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > ANSWER_MAX_BYTES) call.destroy(new Error(`its ${resource} are more than ${ANSWER_MAX_BYTES} bytes`));
        else chunks.push(chunk);
      });
      response.on('end', () => {
        if (response.statusCode === 200) resolve(Buffer.concat(chunks).toString());
        // Envoy reports an empty list this way.
        else if (response.statusCode === 404) resolve('{}');
        else reject(new Error(`it answers ${response.statusCode}`));
      });
      response.on('error', reject);
    });
    call.on('error', reject);
    call.end();
    return promise;
  }
}

/** The listeners or clusters in a response (`configs` in config_dump.proto); the active state of a dynamic listener. */
function parseConfigs(text: string): EnvoyJson[] {
  const { configs = [] } = JSON.parse(text) as { configs?: readonly EnvoyJson[] };
  return configs.flatMap(({ listener, cluster, active_state }) => {
    const active = (active_state as { listener?: unknown } | undefined)?.listener;
    return [listener, cluster, active].filter((one) => typeof one === 'object' && one !== null) as EnvoyJson[];
  });
}

import { join } from 'node:path';
import { isSameProcess, type ProcessRef, sleep } from '@flotilla/kit';
import { logSize, tailLog } from '../host/log-tail.ts';
import type { UnitRunner } from '../host/units/types.ts';
import type { ForwarderDriver, ForwarderPlaces } from './types.ts';

export const OUTPUT_LOG = 'output.log';
const POLL_MS = 50;
const STOP_GRACE_MS = 8_000;
const TAIL_BYTES = 64 * 1024;
const REASON_LINES = 8;

export interface ForwarderProcessOptions {
  /** Names the folder and the units. */
  readonly key: string;
  readonly runner: UnitRunner;
  readonly startTimeoutMs: number;
  readonly placesOf: (release: number) => ForwarderPlaces;
}

/** The program of a forwarder. The name of a unit contains the number of its release. */
export class ForwarderProcess {
  readonly #options: ForwarderProcessOptions;

  constructor(options: ForwarderProcessOptions) {
    this.#options = options;
  }

  find(release: number): ProcessRef | undefined {
    const found = this.#options.runner.find(this.#unitOf(release));
    return found && isSameProcess(found) ? found : undefined;
  }

  /** Starts a release and waits until it runs. Returns why it does not. */
  async start<Config>(release: number, driver: ForwarderDriver<Config>): Promise<string | undefined> {
    const { runner, startTimeoutMs, placesOf } = this.#options;
    const places = placesOf(release);
    const ownLog = join(places.logDir, driver.ownLog);
    const before = await logSize(ownLog);
    await runner.start({
      ...this.#unitOf(release),
      serviceId: '',
      kind: 'forwarder',
      command: driver.runCommand(places),
      env: { LANG: 'C.UTF-8', TZ: 'UTC' },
      identity: undefined,
      workDir: places.workDir,
      logFile: join(places.logDir, OUTPUT_LOG),
      writableDirs: [places.workDir, places.logDir],
    });
    const until = performance.now() + startTimeoutMs;
    for (;;) {
      const runs = this.find(release) !== undefined;
      const news = await this.#readSince(ownLog, before);
      if (runs && driver.hasStarted(news)) return undefined;
      if (!runs && runner.kind === 'supervisor') return explain(places, ownLog, 'the program ended');
      if (performance.now() > until)
        return explain(places, ownLog, `the program did not start within ${startTimeoutMs} ms`);
      await sleep(POLL_MS);
    }
  }

  async stop(release: number): Promise<void> {
    await this.#options.runner.stop(this.#unitOf(release), STOP_GRACE_MS);
  }

  /** Stops every unit but that of `kept`. */
  async stopOthers(kept: number | undefined): Promise<void> {
    const { runner, key } = this.#options;
    for (const name of (await runner.list(key, undefined)).keys()) {
      if (kept === undefined || name !== this.#unitOf(kept).name)
        await runner.stop({ serviceKey: key, name }, STOP_GRACE_MS);
    }
  }

  async #readSince(path: string, offset: number): Promise<string> {
    const size = await logSize(path);
    // A rotated log begins again.
    const bytes = size < offset ? size : size - offset;
    // One more byte, because the first line of a part of a file is left out.
    return bytes === 0 ? '' : (await tailLog(path, 1000, Math.min(bytes, TAIL_BYTES) + 1)).join('\n');
  }

  #unitOf(release: number) {
    return { serviceKey: this.#options.key, name: `release-${release}` };
  }
}

async function explain({ logDir }: ForwarderPlaces, ownLog: string, what: string): Promise<string> {
  const logs = new Set([join(logDir, OUTPUT_LOG), ownLog]);
  const tails = await Promise.all([...logs].map((log) => tailLog(log, REASON_LINES, TAIL_BYTES)));
  return [what, ...tails.flat()].join('\n');
}

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { HaConfig, MemberReport, Order, Refusal } from '@flotilla/ha';
import { type Closable, CoalescedWork, type Logger, toErrorMessage } from '@flotilla/kit';
import { withAlarms } from './alarms.ts';
import { readConfig } from './config.ts';
import { ConfigWatch } from './config-watch.ts';
import { History } from './history.ts';
import { LeaseRecord } from './lease-record.ts';
import { Member } from './member.ts';
import { allowNonlocalBind } from './nonlocal-bind.ts';
import { Problems } from './problems.ts';
import { Readiness, type ServiceReadiness } from './readiness.ts';
import { describeUnpaired } from './report.ts';
import { TermStore } from './term-store.ts';

const START_AGAIN_MS = 1000;

export interface DaemonOptions {
  readonly file: string;
  readonly dataDir: string;
  readonly logger: Logger;
}

/**
 * The member that the file describes, if it does.
 *
 * *unpaired*: there is no file, or none was ever good; there is no member. *paired*: a file was good; the member runs. A change of the
 * file is applied to the member, or replaces it if pair or slot are others. A bad file changes nothing, in either state.
 */
export class Daemon implements Closable {
  readonly #options: DaemonOptions;
  readonly #readiness = new Readiness();
  readonly #problems: Problems;
  readonly #loading = new CoalescedWork(() => this.#load());
  readonly #since = new Date().toISOString();
  #watch: ConfigWatch | undefined;
  #timer: NodeJS.Timeout | undefined;
  #member: Member | undefined;
  /** The newest good file, as text. */
  #loaded: string | undefined;
  /** Why the newest file is not in use. */
  #refused: string | undefined;

  private constructor(options: DaemonOptions) {
    this.#options = options;
    this.#problems = new Problems(options.logger);
  }

  static async start(options: DaemonOptions): Promise<Daemon> {
    const daemon = new Daemon(options);
    await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
    daemon.#problems.note('nonlocal_bind', await allowNonlocalBind());
    await daemon.reload();
    daemon.#watch = new ConfigWatch(options.file, () => daemon.#loading.request());
    return daemon;
  }

  /** Reads the file again. */
  async reload(): Promise<void> {
    this.#loading.request();
    await this.#loading.settle();
  }

  async #load(): Promise<void> {
    const { file, logger } = this.#options;
    const read = await readConfig(file);
    if (!read.ok) {
      if (this.#refused !== read.error) logger.warn({ reason: read.error }, 'ha.config_refused');
      this.#refused = read.error;
      return;
    }
    this.#refused = undefined;
    const text = JSON.stringify(read.value);
    if (text === this.#loaded) return;
    clearTimeout(this.#timer);
    try {
      if (read.value) await this.#use(read.value);
      else await this.#unpair();
      this.#loaded = text;
      this.#problems.note('start', undefined);
    } catch (error) {
      this.#problems.note('start', toErrorMessage(error));
      this.#timer = setTimeout(() => this.#loading.request(), START_AGAIN_MS);
    }
  }

  async #use(config: HaConfig): Promise<void> {
    const member = this.#member;
    if (member?.pairId === config.pair_id && member.slot === config.slot) {
      member.apply(config);
      return;
    }
    await this.#unpair();
    const { dataDir, logger } = this.#options;
    const { pair_id: pairId, slot } = config;
    const problems = new Problems(logger);
    const history = await History.open(join(dataDir, 'history.json'), pairId, (problem) =>
      problems.note('history', problem),
    );
    const store = await TermStore.open(join(dataDir, 'term'), { pairId, slot });
    const lease = await LeaseRecord.open(join(dataDir, 'lease')).catch(async (error: unknown) => {
      await store.close();
      throw error;
    });
    try {
      const readiness = this.#readiness;
      this.#member = await Member.start(config, { store, history, lease, readiness, problems, logger });
    } catch (error) {
      await Promise.all([store.close(), lease.close()]);
      throw error;
    }
  }

  async #unpair(): Promise<void> {
    const member = this.#member;
    this.#member = undefined;
    this.#loaded = undefined;
    await member?.close();
  }

  /** Returns why the member does not do it. */
  async order(order: Order): Promise<Refusal | 'unpaired' | undefined> {
    return this.#member ? this.#member.order(order) : 'unpaired';
  }

  announce(): Refusal | 'unpaired' | undefined {
    if (!this.#member) return 'unpaired';
    return this.#member.announce() ? undefined : 'not_active';
  }

  /** Replaces what was known of the services of this host. */
  setServices(services: ReadonlyMap<string, ServiceReadiness>): void {
    this.#readiness.setServices(services);
    this.#member?.noteReadiness();
  }

  /** For addresses without a service. */
  switchReady(isReady: boolean): void {
    this.#readiness.switch(isReady);
    this.#member?.noteReadiness();
  }

  report(): MemberReport {
    const report = this.#member?.report() ?? describeUnpaired(this.#since);
    return { ...report, alarms: withAlarms(report.alarms, { refused: this.#refused, problems: this.#problems.all }) };
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#watch?.close();
    await this.#loading.settle();
    await this.#unpair();
  }
}

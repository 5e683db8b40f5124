import { API_DISCOVERY_SETTINGS } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { Logger } from '@flotilla/kit';
import type { Settings } from '../../../platform/settings/index.ts';
import { listExisting } from './assignment-store.ts';
import type { CollectorThread } from './collector-thread.ts';
import type { RetentionChoice } from './messages.ts';

export interface StoreUpkeepDeps {
  readonly db: Db;
  readonly settings: Pick<Settings, 'getAcceptable'>;
  readonly thread: Pick<CollectorThread, 'store' | 'post'>;
  readonly logger: Logger;
}

/** Keeps the event store within its limits, and free of projects that do not exist any more. */
export class StoreUpkeep {
  readonly #deps: StoreUpkeepDeps;
  #retention: RetentionChoice | undefined;

  constructor(deps: StoreUpkeepDeps) {
    this.#deps = deps;
  }

  async run(): Promise<void> {
    await this.#dropDeletedProjects();
    const retention = await this.#readRetention();
    if (retention !== undefined) this.#deps.thread.post({ kind: 'maintain', retention });
  }

  /** Call it when settings may have changed. */
  async followSettings(): Promise<void> {
    const before = JSON.stringify(this.#retention);
    if (JSON.stringify(await this.#readRetention()) !== before) await this.run();
  }

  /** Deletes the events of projects that do not exist any more. A store belongs to one installation. */
  async #dropDeletedProjects(): Promise<void> {
    const { db, thread, logger } = this.#deps;
    const { store } = thread;
    try {
      const stored = (await store?.projects()) ?? [];
      const existing = await listExisting(db, stored);
      for (const project of stored) if (!existing.has(project)) await store?.deleteProject(project);
    } catch (error) {
      logger.warn({ err: error }, 'collector.projects_not_dropped');
    }
  }

  async #readRetention(): Promise<RetentionChoice | undefined> {
    try {
      const { value } = await this.#deps.settings.getAcceptable(API_DISCOVERY_SETTINGS);
      const { event_days: eventDays, max_disk_percent: maxDiskPercent } = value.store;
      this.#retention = { eventDays, maxDiskPercent };
    } catch (error) {
      this.#deps.logger.warn({ err: error }, 'collector.retention_not_read');
    }
    return this.#retention;
  }
}

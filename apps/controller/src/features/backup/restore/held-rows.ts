import { failBackup } from '@flotilla/contract';
import type { BackupRow } from '../sealed.ts';

/** Of what is restored, all of it is held in memory meanwhile: more than any project has. */
const HELD_MAX_CHARS = 256 * 1024 * 1024;
/** As many of the records that are taken: those that say nothing cost memory, too, and two bytes of the file. */
const PROJECT_MAX_RECORDS = 100_000;
/** A project comes back also where its history is too large for that: without it. */
const HISTORY_MAX_CHARS = 64 * 1024 * 1024;
const HISTORY_MAX_RECORDS = 50_000;

const HISTORY: ReadonlySet<string> = new Set(['document_revisions', 'policy_revisions']);
const TAKEN: ReadonlySet<string> = new Set([
  'documents',
  'policies',
  'services',
  'settings',
  'memberships',
  'groups',
  'group_members',
  'permissions',
  'job_schedules',
]);

/** Said in plans, and not restored: of more than these some are not named. */
const NAMED: ReadonlySet<string> = new Set(['clients', 'service_targets', 'api_tokens', 'service_tokens']);
const NAMED_MAX_RECORDS = 50_000;

/** Records of a backup of a project while it is read. */
export class HeldRows {
  readonly #rows = new Map<string, BackupRow[]>();
  readonly #taken = { records: 0, chars: 0 };
  readonly #history = { records: 0, chars: 0 };
  #named = 0;

  /** Throws backup.too_large. */
  add(section: string, row: unknown): void {
    if (HISTORY.has(section)) this.#addHistory(section, row);
    if (NAMED.has(section)) this.#addNamed(section, row);
    if (!TAKEN.has(section)) return;
    this.#taken.records += 1;
    this.#taken.chars += JSON.stringify(row).length;
    if (this.#taken.records > PROJECT_MAX_RECORDS)
      throw failBackup('backup.too_large', { what: `${PROJECT_MAX_RECORDS} records` });
    if (this.#taken.chars > HELD_MAX_CHARS)
      throw failBackup('backup.too_large', { what: `${HELD_MAX_CHARS} characters` });
    this.#push(section, row);
  }

  of(section: string): readonly BackupRow[] {
    return this.#rows.get(section) ?? [];
  }

  /** There was more of it than is held: none of it is here. */
  get isHistoryTooLarge(): boolean {
    return this.#history.records > HISTORY_MAX_RECORDS || this.#history.chars > HISTORY_MAX_CHARS;
  }

  #addHistory(section: string, row: unknown): void {
    if (this.isHistoryTooLarge) return;
    this.#history.records += 1;
    this.#history.chars += JSON.stringify(row).length;
    if (this.isHistoryTooLarge) for (const one of HISTORY) this.#rows.delete(one);
    else this.#push(section, row);
  }

  #addNamed(section: string, row: unknown): void {
    if (this.#named >= NAMED_MAX_RECORDS) return;
    this.#named += 1;
    this.#push(section, row);
  }

  #push(section: string, row: unknown): void {
    const known = this.#rows.get(section);
    if (known) known.push(row as BackupRow);
    else this.#rows.set(section, [row as BackupRow]);
  }
}

import { createHash } from 'node:crypto';
import { type Db, isRefusedValue } from '@flotilla/db';
import { type MemberReport, reportSchema } from '@flotilla/ha';
import { Batches, type Logger } from '@flotilla/kit';
import type { fleet } from '@flotilla/proto';
import { announceReport } from './events.ts';
import { storeChanges, storeTerms } from './history-store.ts';
import { type NewReport, type Reporter, storeReports } from './report-store.ts';
import type { Rotations } from './rotation.ts';
import type { StoredMember } from './tables.ts';

/** Reports with full histories have less than half of it. */
const REPORT_MAX_BYTES = 256 * 1024;
/** Members per statement. */
const BATCH_MAX = 200;
/** History from before the pair existed is that of another one. Clocks differ. */
const BEFORE_MAX_MS = 300_000;
const DEADLOCK = '40P01';

/** Digests of a member's last report. */
interface Seen {
  readonly history: string;
  readonly shown: string;
}

/**
 * Stores what the members of pairs report. The newest report of each member is written every time, its history and an event for the
 * screens only if they have changed.
 */
export class MemberReports {
  readonly #db: Db;
  readonly #logger: Logger;
  readonly #rotations: Pick<Rotations, 'advance'>;
  readonly #stored: Batches<NewReport, Reporter | undefined>;
  readonly #seen = new Map<string, Seen>();
  /** Clients whose last report was dropped: a client that sends nothing else must not fill the log. */
  readonly #refused = new Set<string>();

  constructor({ db, logger, rotations }: { db: Db; logger: Logger; rotations: Pick<Rotations, 'advance'> }) {
    this.#db = db;
    this.#logger = logger;
    this.#rotations = rotations;
    this.#stored = new Batches({
      max: BATCH_MAX,
      isOfOneItem: (error) => isRefusedValue(error) || (error as { code?: unknown } | undefined)?.code === DEADLOCK,
      run: async (reports) => {
        const found = await storeReports(db, reports);
        return reports.map(({ clientId }) => found.get(clientId));
      },
    });
  }

  /** Never rejects: the member reports again within seconds. */
  async record(clientId: string, { reportJson }: fleet.HaReport, now: Date): Promise<void> {
    try {
      const parsed = parseReport(reportJson);
      if (typeof parsed === 'string') this.#refuse(clientId, parsed);
      else await this.#store(clientId, parsed, now);
    } catch (error) {
      this.#logger.warn({ err: error, client_id: clientId }, 'ha.report_failed');
    }
  }

  forget(clientId: string): void {
    this.#seen.delete(clientId);
    this.#refused.delete(clientId);
  }

  #refuse(clientId: string, reason: string): void {
    if (this.#refused.has(clientId)) return;
    this.#refused.add(clientId);
    this.#logger.warn({ client_id: clientId, reason }, 'ha.report_refused');
  }

  async #store(clientId: string, reported: MemberReport, now: Date): Promise<void> {
    const { changes, terms, rejected: _rejected, ...report } = reported;
    const reporter = await this.#stored.add({ clientId, report, now });
    this.#refused.delete(clientId);
    if (!reporter) return;
    const before = this.#seen.get(clientId);
    const seen = { history: digestOf({ pair: reporter.pairId, changes, terms }), shown: digestOf(pickShown(report)) };
    await this.#db.transaction().execute(async (tx) => {
      if (report.pair_id !== null && before?.history !== seen.history) {
        const source = { pairId: reporter.pairId, clientId, clientName: reporter.name, skewMs: report.clock_skew_ms };
        const since = reporter.pairSince.getTime() - BEFORE_MAX_MS;
        await storeChanges(
          tx,
          source,
          changes.filter(({ at }) => Date.parse(at) >= since),
        );
        await storeTerms(
          tx,
          source,
          terms.filter(({ raised_at: at }) => Date.parse(at) >= since),
        );
      }
      if (before?.shown !== seen.shown)
        await announceReport(tx, { id: reporter.pairId, projectId: reporter.projectId }, now);
    });
    this.#seen.set(clientId, seen);
    if (reporter.rotationRev !== null && report.config_rev_applied >= reporter.rotationRev)
      await this.#rotations.advance({ id: reporter.pairId, projectId: reporter.projectId }, now);
  }
}

/** A text is the reason why it is no report. */
function parseReport(bytes: Uint8Array): MemberReport | string {
  if (bytes.byteLength > REPORT_MAX_BYTES) return `${bytes.byteLength} bytes`;
  let value: unknown;
  try {
    // PostgreSQL stores neither NUL nor half of a surrogate pair.
    value = JSON.parse(Buffer.from(bytes).toString(), (_key, member: unknown) =>
      typeof member === 'string' ? member.replaceAll('\u0000', '').toWellFormed() : member,
    );
  } catch {
    return 'not JSON';
  }
  const { data, error } = reportSchema.safeParse(value);
  return data ?? `${error?.issues[0]?.path.join('.')}: ${error?.issues[0]?.message}`;
}

/** Without what changes in every report. */
function pickShown({ paths, clock_skew_ms: _skew, ...report }: StoredMember) {
  return { ...report, paths: paths.map(({ network, up }) => ({ network, up })) };
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64');
}

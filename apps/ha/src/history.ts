import { type RoleChange, reportSchema, type Term } from '@flotilla/ha';
import { CoalescedWork, readFileIfThere, toErrorMessage, writeFileAtomically } from '@flotilla/kit';
import * as z from 'zod';

const CHANGES_MAX = 200;
const TERMS_MAX = 200;
/** More than the longest history has; a file that is longer is not ours. */
const BYTES_MAX = 1_000_000;

const fileSchema = z.object({
  pair_id: z.uuid(),
  changes: reportSchema.shape.changes,
  terms: reportSchema.shape.terms,
});

/** The kernel looks for lifetimes that have ended up to a quarter of a second later, in a work queue that a busy processor delays. */
const KERNEL_LATE_MS = 500;

interface Lease {
  /** When it was renewed last. */
  readonly renewedAt: number;
  readonly leaseMs: number;
}

/**
 * Changes of the role and terms with the addresses, for people. Kept over restarts where the disk allows it: what cannot be
 * written is kept in memory.
 */
export class History {
  readonly #file: string;
  readonly #pairId: string;
  readonly #onProblem: (problem: string | undefined) => void;
  readonly #writing = new CoalescedWork(() => this.#write());
  #changes: readonly RoleChange[] = [];
  #terms: readonly Term[] = [];

  private constructor(file: string, pairId: string, onProblem: (problem: string | undefined) => void) {
    this.#file = file;
    this.#pairId = pairId;
    this.#onProblem = onProblem;
  }

  /** The history of another pair, or a damaged file, counts for nothing. */
  static async open(file: string, pairId: string, onProblem: (problem: string | undefined) => void): Promise<History> {
    const history = new History(file, pairId, onProblem);
    try {
      const bytes = await readFileIfThere(file);
      if (!bytes || bytes.length > BYTES_MAX) return history;
      const read = fileSchema.safeParse(JSON.parse(bytes.toString()));
      if (!read.success || read.data.pair_id !== pairId) return history;
      history.#changes = read.data.changes;
      history.#terms = read.data.terms;
    } catch {
      // It begins again.
    }
    return history;
  }

  get changes(): readonly RoleChange[] {
    return this.#changes;
  }

  get terms(): readonly Term[] {
    return this.#terms;
  }

  noteChange(change: RoleChange): void {
    this.#changes = [...this.#changes, change].slice(-CHANGES_MAX);
    this.#writing.request();
  }

  noteRaised(epoch: number): void {
    this.#terms = [...this.#terms, { epoch, raised_at: new Date().toISOString(), released_at: null }].slice(-TERMS_MAX);
    this.#writing.request();
  }

  /**
   * An earlier process was killed while it had the addresses, which are gone by now, or since the end of its lease. Undefined: nobody
   * knows when that was, so the term stays open. So it does if the lease is that of an earlier term.
   */
  noteKilled(leaseEndedMsAgo: number | undefined): void {
    const last = this.#terms.at(-1);
    if (!last || leaseEndedMsAgo === undefined) return;
    const sinceMs = sinceRemovalMs(leaseEndedMsAgo);
    if (Date.now() - sinceMs >= Date.parse(last.raised_at)) this.#close(sinceMs);
  }

  /** A member that slept has released less than it believes: the kernel removes addresses at the end of their lease. */
  noteReleased({ renewedAt, leaseMs }: Lease): void {
    this.#close(sinceRemovalMs(performance.now() - renewedAt - leaseMs));
  }

  #close(sinceMs: number): void {
    const last = this.#terms.at(-1);
    if (!last || last.released_at !== null) return;
    const released_at = new Date(Date.now() - sinceMs).toISOString();
    this.#terms = [...this.#terms.slice(0, -1), { ...last, released_at }];
    this.#writing.request();
  }

  async #write(): Promise<void> {
    const content = { pair_id: this.#pairId, changes: this.#changes, terms: this.#terms };
    try {
      await writeFileAtomically(this.#file, JSON.stringify(content));
      this.#onProblem(undefined);
    } catch (error) {
      this.#onProblem(toErrorMessage(error));
    }
  }

  async close(): Promise<void> {
    await this.#writing.settle();
  }
}

/** How long the addresses have been gone at least, so long after the end of the lease. */
function sinceRemovalMs(leaseEndedMsAgo: number): number {
  return Math.max(0, leaseEndedMsAgo - KERNEL_LATE_MS);
}

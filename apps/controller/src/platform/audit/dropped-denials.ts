import type { Clock } from '@flotilla/kit';
import type { AuditEntry, Refusal } from './entry.ts';

/** A continuing flood produces one gap entry in this time, not one per flush. */
const RECORD_AFTER_MS = 1000;
/** Further projects are counted together. */
const PROJECTS_MAX = 1000;

interface Gap {
  readonly projectId: string | undefined;
  readonly from: Date;
  readonly beganMs: number;
  readonly byCode: Map<string, number>;
  to: Date;
  dropped: number;
}

/** Counts the denials without entries, per project. */
export class DroppedDenials {
  readonly #clock: Clock;
  readonly #gaps = new Map<string | undefined, Gap>();
  #isEnding = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isAny(): boolean {
    return this.#gaps.size > 0;
  }

  get count(): number {
    let count = 0;
    for (const { dropped } of this.#gaps.values()) count += dropped;
    return count;
  }

  add({ at, projectId, code }: Refusal): void {
    const gap = this.#open(projectId, at);
    gap.to = at;
    gap.dropped += 1;
    gap.byCode.set(code, (gap.byCode.get(code) ?? 0) + 1);
  }

  /** Makes every gap due at once. */
  endNow(): void {
    this.#isEnding = true;
  }

  /** Removes and returns the gaps that are due. */
  takeDue(): Gap[] {
    const now = this.#clock.monotonic();
    const due = [...this.#gaps.values()].filter(({ beganMs }) => this.#isEnding || now - beganMs >= RECORD_AFTER_MS);
    for (const { projectId } of due) this.#gaps.delete(projectId);
    return due;
  }

  /** Restores gaps that could not be written. */
  putBack(gaps: readonly Gap[]): void {
    for (const gap of gaps) {
      const later = this.#gaps.get(gap.projectId);
      this.#gaps.set(gap.projectId, gap);
      if (!later) continue;
      gap.to = later.to;
      gap.dropped += later.dropped;
      for (const [code, count] of later.byCode) gap.byCode.set(code, (gap.byCode.get(code) ?? 0) + count);
    }
  }

  describe({ projectId, from, to, dropped, byCode }: Gap): AuditEntry {
    return {
      at: new Date(this.#clock.now()),
      actor: { kind: 'system', id: null, name: 'controller' },
      actorRole: undefined,
      projectId,
      action: 'audit.gap',
      outcome: 'denied',
      status: 429,
      subject: {
        type: 'audit',
        changes: { from: from.toISOString(), to: to.toISOString(), dropped, by_code: Object.fromEntries(byCode) },
      },
    };
  }

  #open(wanted: string | undefined, at: Date): Gap {
    const projectId = this.#gaps.has(wanted) || this.#gaps.size < PROJECTS_MAX ? wanted : undefined;
    const known = this.#gaps.get(projectId);
    if (known) return known;
    const beganMs = this.#clock.monotonic();
    const gap = { projectId, from: at, to: at, dropped: 0, byCode: new Map<string, number>(), beganMs };
    this.#gaps.set(projectId, gap);
    return gap;
  }
}

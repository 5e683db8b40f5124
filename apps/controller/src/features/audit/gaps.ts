import type { Clock } from '@flotilla/kit';
import type { Refusal } from './denial-buffer.ts';
import type { AuditEntry } from './record.ts';

/** A flood that goes on is told once in so long, not with every flush. */
const TOLD_AFTER_MS = 1000;
/** More than that at once are counted together. */
const PROJECTS_MAX = 1000;

interface Gap {
  readonly projectId: string | undefined;
  readonly from: Date;
  readonly beganMs: number;
  readonly byCode: Map<string, number>;
  to: Date;
  dropped: number;
}

/** Denials without entries of their own, counted for each project apart. */
export class Gaps {
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

  /** From now on every gap is due. */
  endNow(): void {
    this.#isEnding = true;
  }

  /** Takes out what is to be told. */
  takeDue(): Gap[] {
    const now = this.#clock.monotonic();
    const due = [...this.#gaps.values()].filter(({ beganMs }) => this.#isEnding || now - beganMs >= TOLD_AFTER_MS);
    for (const { projectId } of due) this.#gaps.delete(projectId);
    return due;
  }

  /** What could not be told after all. */
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

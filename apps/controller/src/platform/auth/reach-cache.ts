import type { Db } from '@flotilla/db';
import type { Clock } from '@flotilla/kit';
import { Recent } from '../http/recent.ts';
import { findReach, type Reach, type Reader, type ResourceQuestion } from './reach-store.ts';

/**
 * Remembers that a caller may access a resource, see `Recent`. Refusals are not cached, so a new permission applies at
 * once. A revoked one does too: row-level security filters every query, a write that changes a forbidden row fails
 * there, and `requireStill` checks again before a write answers that changes nothing, is a dry run or is refused for
 * another reason.
 */
export class ReachCache {
  readonly #recent: Recent<Reach>;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#recent = new Recent(clock);
  }

  async find(db: Db, reader: Reader, question: ResourceQuestion): Promise<Reach | undefined> {
    const { kind, key, level } = question;
    let asked: Reach | undefined;
    const name = JSON.stringify([reader.userId, reader.projectId, kind, level, key]);
    const known = await this.#recent.find(name, async () => {
      asked = await findReach(db, reader, question);
      return asked === 'enough' ? asked : undefined;
    });
    return known ?? asked;
  }

  forget(): void {
    this.#recent.forget();
  }
}

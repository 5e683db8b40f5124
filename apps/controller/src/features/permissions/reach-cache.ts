import type { Db } from '@flotilla/db';
import type { Clock } from '@flotilla/kit';
import { Recent } from '../../http/recent.ts';
import { findReach, type Reach, type Reader, type ResourceQuestion } from './reach-store.ts';

/**
 * What the guard was told of one thing that somebody reads or writes, see `Recent`: only that they may, so that what is given
 * holds at once. So does what is taken, whatever is remembered: for every query the rows themselves are kept back by the
 * database, every write that changes what they may not change fails there, and one that changes nothing, is a dry run or is
 * refused anyway is asked about once more before it answers (`requireStill`).
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

  /** What is given has changed. */
  forget(): void {
    this.#recent.forget();
  }
}

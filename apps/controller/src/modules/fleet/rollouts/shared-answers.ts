import { fail } from '@flotilla/contract';

/** Different waiting questions per group. */
const WAITING_MAX = 100;
const RETRY_AFTER_S = 1;

/**
 * Shares expensive answers among many callers who poll. Each group computes one answer at a time and rests for as long
 * as it took. A question that is already waiting is shared; a running one is not, since it may have missed the latest
 * write.
 */
export class SharedAnswers<T> {
  /** By group, then by question: those that have not started. */
  readonly #waiting = new Map<string, Map<string, Promise<T>>>();
  /** The last turn of each group, including the rest after it. */
  readonly #last = new Map<string, Promise<void>>();

  /** Throws request.too_many if too many questions wait. */
  take(group: string, question: string, answer: () => Promise<T>): Promise<T> {
    const waiting = this.#waiting.get(group) ?? new Map<string, Promise<T>>();
    const shared = waiting.get(question);
    if (shared) return shared;
    if (waiting.size >= WAITING_MAX)
      throw fail('request.too_many', { seconds: RETRY_AFTER_S }, { extra: { retry_after: RETRY_AFTER_S } });
    let beganMs = 0;
    const turn = (this.#last.get(group) ?? Promise.resolve()).then(() => {
      waiting.delete(question);
      if (waiting.size === 0) this.#waiting.delete(group);
      beganMs = performance.now();
      return answer();
    });
    this.#waiting.set(group, waiting.set(question, turn));
    const rest = () => new Promise<void>((resolve) => setTimeout(resolve, performance.now() - beganMs));
    const last = turn.then(rest, rest).then(() => {
      if (this.#last.get(group) === last) this.#last.delete(group);
    });
    this.#last.set(group, last);
    return turn;
  }
}

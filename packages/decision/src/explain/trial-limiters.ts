import { createArenaBuffer, hasLimiter, LimiterArena, type LimiterPlace } from '@flotilla/engines';
import type { EngineBlock } from '@flotilla/policy';

/** Memory for limiters of trials, separate from the thread's own. Address space is reserved and used as needed. */
export class TrialLimiters {
  readonly #maxBytes: number;
  #arena: LimiterArena | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  placeOf(block: EngineBlock): LimiterPlace | undefined {
    if (!hasLimiter(block)) return undefined;
    this.#arena ??= new LimiterArena(createArenaBuffer(this.#maxBytes));
    return { arena: this.#arena };
  }
}

import { createArenaBuffer, hasLimiter, LimiterArena, type LimiterPlace } from '@flotilla/engines';
import type { EngineBlock } from '@flotilla/policy';

/** The memory of limiters that judge no live request, apart from that of the thread's own. Address space, used as needed. */
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

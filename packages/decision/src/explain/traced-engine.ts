import {
  type BlockVerdict,
  BudgetExceeded,
  type CompiledEngine,
  compileEngine,
  type RequestView,
  type Verdict,
} from '@flotilla/engines';
import type { Clock } from '@flotilla/kit';
import { ENGINE_ERROR_REASON, ENGINE_TIMEOUT_REASON, type EngineBlock } from '@flotilla/policy';
import type { TrialLimiters } from './trial-limiters.ts';

/** An engine's verdict or failure. */
export interface Trace {
  readonly verdict: Verdict | undefined;
  readonly failure: BlockVerdict['reason'] | undefined;
  readonly tookMs: number;
}

/** Wraps an engine without changing its verdicts, and records the last one of each phase. */
export class TracedEngine implements CompiledEngine {
  readonly block: EngineBlock;
  readonly name: CompiledEngine['name'];
  readonly body?: NonNullable<CompiledEngine['body']>;
  readonly withheld?: NonNullable<CompiledEngine['withheld']>;
  readonly #engine: CompiledEngine;
  headers: Trace | undefined;
  content: Trace | undefined;

  constructor(block: EngineBlock, clock: Clock, limiters: TrialLimiters) {
    const engine = compileEngine(block, clock, limiters.placeOf(block));
    this.block = block;
    this.#engine = engine;
    this.name = engine.name;
    if (engine.withheld !== undefined) this.withheld = engine.withheld;
    const { body } = engine;
    if (body === undefined) return;
    this.body = {
      wants: (request) => body.wants(request),
      decide: (request, bytes, budget) =>
        this.#trace(
          () => body.decide(request, bytes, budget),
          (trace) => {
            this.content = trace;
          },
        ),
    };
  }

  decide(request: RequestView, budget: Parameters<CompiledEngine['decide']>[1]): Verdict {
    return this.#trace(
      () => this.#engine.decide(request, budget),
      (trace) => {
        this.headers = trace;
      },
    );
  }

  #trace(decide: () => Verdict, keep: (trace: Trace) => void): Verdict {
    const beganAt = performance.now();
    try {
      const verdict = decide();
      keep({ verdict, failure: undefined, tookMs: performance.now() - beganAt });
      return verdict;
    } catch (error) {
      const failure = error instanceof BudgetExceeded ? ENGINE_TIMEOUT_REASON : ENGINE_ERROR_REASON;
      keep({ verdict: undefined, failure, tookMs: performance.now() - beganAt });
      throw error;
    }
  }
}

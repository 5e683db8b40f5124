import {
  ALLOW,
  type CompiledEngine,
  compileEngine,
  type LimiterPlace,
  type RequestView,
  type Verdict,
} from '@flotilla/engines';
import type { Clock } from '@flotilla/kit';
import type { EngineBlock } from '@flotilla/policy';
import { LACKED_QUERY, RecordedView } from './recorded-view.ts';

/** A part of the request that an engine asked for and the record lacks. */
export interface Lack {
  readonly engine: string;
  readonly what: string;
}

export interface ReplayEngineOptions {
  readonly clock: Clock;
  readonly place: LimiterPlace | undefined;
  readonly onLack: (lack: Lack) => void;
}

/**
 * Wraps the engine of a block. If it blocks a request after it asked for something that the record lacks, its true
 * verdict is unknown, and the wrapper returns none.
 */
export function createReplayEngine(block: EngineBlock, options: ReplayEngineOptions): CompiledEngine {
  const { clock, place, onLack } = options;
  const engine = compileEngine(block, clock, place);
  const { body } = engine;
  const judge = (request: RequestView, decide: () => Verdict): Verdict => {
    if (!(request instanceof RecordedView)) return decide();
    request.takeLacked();
    const verdict = decide();
    const lacked = request.takeLacked();
    if (verdict.kind !== 'block') {
      // An engine that searches a query for attacks finds nothing if the query is missing.
      // One that searches it for overrides of the method is not undetermined: clients rarely send any, and the method is known.
      if (lacked.includes(LACKED_QUERY) && engine.name !== 'methods')
        onLack({ engine: engine.name, what: LACKED_QUERY });
      return verdict;
    }
    // Without the time of a request, a limiter cannot know how many came at once.
    const isTimeless = verdict.status === 429 && request.record.timeMs === undefined;
    const lacks = isTimeless ? [...lacked, 'the time'] : lacked;
    if (lacks.length === 0) return verdict;
    for (const what of lacks) onLack({ engine: engine.name, what });
    return ALLOW;
  };
  return {
    name: engine.name,
    decide: (request, budget) => judge(request, () => engine.decide(request, budget)),
    ...(body === undefined
      ? {}
      : {
          body: {
            wants(request) {
              const wants = body.wants(request);
              if (wants && request instanceof RecordedView && request.record.carries.body === 'missing') {
                onLack({ engine: engine.name, what: 'the body' });
              }
              return wants;
            },
            decide: (request, bytes, budget) => judge(request, () => body.decide(request, bytes, budget)),
          },
        }),
  };
}

import { ChunkBuilder, type EventChunk } from '@flotilla/event-store/chunk';
import type { OperationDelta, RiskFlag } from '@flotilla/inventory';
import type { DropReason } from './admission.ts';
import { DeltaBuilder } from './delta-builder.ts';
import type { FlagCombination } from './flag-set.ts';
import type { Hashed } from './keyed-hash.ts';
import type { RequestFacts } from './request-facts.ts';
import type { Sampling } from './sampling.ts';
import { createRow, fillRow } from './to-row.ts';
import type { AgentKind } from './user-agent.ts';

export interface Collected {
  readonly events: EventChunk;
  readonly deltas: readonly OperationDelta[];
  readonly received: number;
  readonly dropped: ReadonlyMap<DropReason, number>;
  /** Events that sampling left out. */
  readonly sampledOut: number;
  readonly flags: ReadonlyMap<RiskFlag, number>;
  readonly agentKinds: ReadonlyMap<AgentKind, number>;
}

export interface From {
  readonly service: string;
  readonly client: string;
  /** The clock of the collector. */
  readonly nowMs: number;
  /** The id that an event gets by its place among the events. */
  readonly toEventId?: ((ordinal: number) => string) | undefined;
}

interface Choice {
  readonly sampling: Sampling;
  readonly keepOneOf: number;
  /** No more events than these are added. */
  readonly most: number;
}

/** The result of one batch while it grows. */
export class Collecting {
  readonly #from: From & { readonly listener: string };
  readonly #choice: Choice;
  readonly #events: ChunkBuilder;
  /** Each event is written into it, and from there into the columns. */
  readonly #row = createRow();
  readonly #deltas = new Map<string, DeltaBuilder>();
  readonly #flags = new Map<FlagCombination, number>();
  readonly #agentKinds = new Map<AgentKind, number>();
  #sampledOut = 0;

  constructor(from: From & { readonly listener: string }, choice: Choice) {
    this.#from = from;
    this.#choice = choice;
    this.#events = new ChunkBuilder(choice.most, from.nowMs);
  }

  add(facts: RequestFacts, flags: FlagCombination, hashes: { source: Hashed; userAgent: Hashed }): void {
    countOne(this.#flags, flags);
    countOne(this.#agentKinds, facts.agentKind);
    const { id } = facts.operation;
    let delta = this.#deltas.get(id);
    if (delta === undefined) {
      delta = new DeltaBuilder(facts.operation, this.#from);
      this.#deltas.set(id, delta);
    }
    delta.add(facts, flags);
    const weight = this.#choice.sampling.weigh(facts, flags, this.#choice.keepOneOf);
    if (weight === 0) {
      this.#sampledOut += 1;
      return;
    }
    const { toEventId } = this.#from;
    if (toEventId !== undefined && delta.hasRoom) delta.addSample(toEventId(this.#events.rows));
    const { source, userAgent } = hashes;
    this.#events.add(fillRow(this.#row, facts, { source, userAgent, flags, weight, from: this.#from }));
  }

  end(received: number, dropped: ReadonlyMap<DropReason, number>): Collected {
    return {
      events: this.#events.build(),
      deltas: Array.from(this.#deltas.values(), (delta) => delta.build()),
      received,
      dropped,
      sampledOut: this.#sampledOut,
      flags: countFlags(this.#flags),
      agentKinds: this.#agentKinds,
    };
  }
}

function countFlags(combinations: ReadonlyMap<FlagCombination, number>): Map<RiskFlag, number> {
  const counts = new Map<RiskFlag, number>();
  for (const [{ flags }, count] of combinations) {
    for (const flag of flags) counts.set(flag, (counts.get(flag) ?? 0) + count);
  }
  return counts;
}

export function countOne<Name>(counts: Map<Name, number>, name: Name): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

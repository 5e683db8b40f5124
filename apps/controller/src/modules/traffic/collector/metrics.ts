import { Counter, Gauge, type Registry } from 'prom-client';
import type { BatchReport, StateSize } from './messages.ts';

export type BatchOutcome =
  | 'stored'
  | 'duplicate'
  | 'malformed'
  | 'unassigned'
  | 'retried'
  | 'thrown_away'
  | 'held'
  | 'queue_full'
  | 'not_collecting';

export interface CollectorGauges {
  readonly queuedEntries: () => number;
  readonly waitingBatches: () => number;
  readonly projects: () => number;
  readonly isReady: () => boolean;
}

/** Labels have closed sets of values: nothing of a request is one. */
export class CollectorMetrics {
  readonly #counters;
  readonly #detectorKeys: Gauge<'detector'>;
  readonly #detectorRefused: Gauge<'detector'>;
  readonly #operations: Gauge;
  readonly #refusedOperations: Gauge;

  constructor(registry: Registry, gauges: CollectorGauges) {
    const registers = [registry];
    const counter = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
      new Counter({ name: `flotilla_collector_${name}`, help, labelNames, registers });
    const gauge = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
      new Gauge({ name: `flotilla_collector_${name}`, help, labelNames, registers });
    const read = (name: string, help: string, value: () => number) =>
      new Gauge({
        name: `flotilla_collector_${name}`,
        help,
        registers,
        collect() {
          this.set(value());
        },
      });
    this.#counters = {
      received: counter('events_received_total', 'Requests in batches that were understood'),
      stored: counter('events_stored_total', 'Events written to the event store'),
      sampledOut: counter('events_sampled_out_total', 'Harmless events that sampling left out'),
      dropped: counter('events_dropped_total', 'Requests that the settings exclude', ['reason']),
      batches: counter('batches_total', 'Batches by what became of them', ['outcome']),
      flags: counter('risk_flags_total', 'Flags that were raised', ['flag']),
      agents: counter('user_agents_total', 'Requests by the kind of program that sent them', ['kind']),
      problems: counter('problems_total', 'Things that the collector could not do', ['what']),
      restarts: counter('thread_ends_total', 'Times that the thread of the collector has ended'),
      evicted: counter('events_evicted_total', 'Events that were deleted because the store was too large'),
      expired: counter('events_expired_total', 'Events that were deleted because they were too old'),
    };
    this.#detectorKeys = gauge('detector_keys', 'Keys that detectors remember, of all projects', ['detector']);
    this.#detectorRefused = gauge('detector_keys_refused', 'Keys that found no room in a detector', ['detector']);
    this.#operations = gauge('operations', 'Operations that were named since the start');
    this.#refusedOperations = gauge('operations_refused', 'Requests of operations beyond the limits');
    read('queued_entries', 'Requests that wait for the thread', gauges.queuedEntries);
    read('waiting_batches', 'Batches without an answer', gauges.waitingBatches);
    read('projects', 'Projects whose traffic is collected', gauges.projects);
    read('ready', '1 if this controller collects', () => (gauges.isReady() ? 1 : 0));
  }

  countBatch(outcome: BatchOutcome): void {
    this.#counters.batches.inc({ outcome });
  }

  countReport({ received, stored, sampledOut, dropped, flags, agentKinds }: BatchReport): void {
    this.#counters.received.inc(received);
    this.#counters.stored.inc(stored);
    this.#counters.sampledOut.inc(sampledOut);
    for (const [reason, count] of dropped) this.#counters.dropped.inc({ reason }, count);
    for (const [flag, count] of flags) this.#counters.flags.inc({ flag }, count);
    for (const [kind, count] of agentKinds) this.#counters.agents.inc({ kind }, count);
  }

  countProblem(what: string): void {
    this.#counters.problems.inc({ what });
  }

  countEnd(): void {
    this.#counters.restarts.inc();
  }

  countMaintenance(expired: number, evicted: number): void {
    this.#counters.expired.inc(expired);
    this.#counters.evicted.inc(evicted);
  }

  /** Sums over projects, whose number has no bound. */
  setSizes(sizes: readonly StateSize[]): void {
    const keys = new Map<string, { size: number; refused: number }>();
    for (const { name, size, refused } of sizes.flatMap(({ detectors }) => detectors)) {
      const sum = keys.get(name) ?? { size: 0, refused: 0 };
      keys.set(name, { size: sum.size + size, refused: sum.refused + refused });
    }
    for (const [detector, { size, refused }] of keys) {
      this.#detectorKeys.set({ detector }, size);
      this.#detectorRefused.set({ detector }, refused);
    }
    this.#operations.set(sizes.reduce((sum, { operations }) => sum + operations, 0));
    this.#refusedOperations.set(sizes.reduce((sum, { refusedOperations }) => sum + refusedOperations, 0));
  }
}

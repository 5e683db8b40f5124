import { decodeBatch, type LogEntry } from '@flotilla/access-log';
import type { TestStreamsLogs } from '@flotilla/controller/testing/streams';

interface StoredBatch {
  readonly serviceId: string;
  readonly epoch: string;
  readonly sequence: number;
  readonly listener: string;
  readonly entries: readonly LogEntry[];
}

/** A collector in memory, behind the controller's port. */
export class FakeCollector implements TestStreamsLogs {
  /** `hold`: the agent has to come back. `hang`: no answer. */
  mode: 'store' | 'hold' | 'hang' = 'store';
  /** In the order of their first arrival. */
  readonly batches: StoredBatch[] = [];
  /** Batches that came again after they were stored, and those among them with other bytes. */
  repeated = 0;
  changed = 0;
  readonly #payloads = new Map<string, Buffer>();

  push: TestStreamsLogs['push'] = async (_, { serviceId, epoch, sequence, payload, entries: count }) => {
    if (this.mode === 'hang') return new Promise(() => undefined);
    if (this.mode === 'hold') return { retryMs: 50 };
    const key = `${serviceId} ${epoch} ${sequence}`;
    const known = this.#payloads.get(key);
    if (known) {
      this.repeated += 1;
      if (!known.equals(payload)) this.changed += 1;
      return { stored: true };
    }
    const decoded = decodeBatch(payload);
    if (!decoded.ok) throw new Error(decoded.error);
    const { listener, entries } = decoded.value;
    if (entries.length !== count) throw new Error(`${entries.length} entries instead of ${count}`);
    this.#payloads.set(key, Buffer.from(payload));
    this.batches.push({ serviceId, epoch, sequence: Number(sequence), listener, entries });
    return { stored: true };
  };

  get entries(): LogEntry[] {
    return this.batches.flatMap(({ entries }) => entries);
  }

  paths(): string[] {
    return this.entries.map(({ path }) => path);
  }
}

import type { AuditSinkName } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { type Clock, type Closable, createId, type Logger, sleep } from '@flotilla/kit';
import { readLastHeads, type SignedHead } from '../chain/index.ts';
import { describeFailure, type Transport } from './delivery.ts';
import { claimSink, ensureSink, moveSink, noteFailure, readSealed, releaseSink, type SinkLease } from './sink-store.ts';

const BATCH = 500;
const BATCH_BYTES = 1024 * 1024;
/**
 * Heads per delivery, and the maximum size of one as a line of JSON, which is subtracted from the space for entries.
 */
const HEADS = 1000;
const HEAD_BYTES = 400;
const LOOK_EVERY_MS = 500;
/** How often a waiting controller checks whether the sending one is gone. */
const FOLLOW_EVERY_MS = 2000;
const HEADS_EVERY_MS = 30_000;
/**
 * Clocks of controllers may differ by this much, so a head that one signs is not skipped because another signed later
 * ones.
 */
const CLOCKS_APART_MS = 10 * 60_000;
/** A lease outlives the longest delivery by this time, and no delivery starts with less of it left. */
const LEASE_MARGIN_MS = 10_000;
const BACK_OFF_MIN_MS = 1000;
const BACK_OFF_MAX_MS = 5 * 60_000;

export interface ForwarderDeps {
  readonly db: Db;
  readonly name: AuditSinkName;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** The lease has expired: another controller may be sending. */
class LeaseOver extends Error {}

/**
 * Sends sealed entries to one receiver, in the order of sealing, each at least once: the position in the database moves
 * after the receiver has accepted a batch. Every controller has a forwarder; the lease lets one of them send, and one
 * that wakes after its lease sends nothing.
 */
export class Forwarder implements Closable {
  readonly #deps: ForwarderDeps;
  readonly #holder = createId();
  readonly #stopped = new AbortController();
  #wake = new AbortController();
  #transport: Transport | undefined;
  #lease: SinkLease | undefined;
  #leasedUntilMs = Number.NEGATIVE_INFINITY;
  #headsReadMs = Number.NEGATIVE_INFINITY;
  /**
   * Read but not sent yet, in the order of signing. They are sent before new ones are read; otherwise, where every
   * chain grows, some would be overtaken again and again.
   */
  #headsWaiting: readonly SignedHead[] = [];
  /** The number of the last sent head, by chain. */
  readonly #headsSent = new Map<string, number>();
  #failures = 0;
  #running: Promise<void> | undefined;

  constructor(deps: ForwarderDeps) {
    this.#deps = deps;
  }

  /** Sets the receiver; undefined: none. */
  use(transport: Transport | undefined): void {
    this.#transport = transport;
    this.#failures = 0;
    // Another receiver needs a lease of another length.
    this.#leasedUntilMs = Number.NEGATIVE_INFINITY;
    this.#wake.abort();
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#stopped.abort();
    this.#wake.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      this.#wake = new AbortController();
      const pauseMs = await this.#turn();
      if (pauseMs > 0 && !this.#stopped.signal.aborted) await sleep(pauseMs, this.#wake.signal);
    }
    await this.#release();
  }

  /** Sends one batch. Returns the time to wait before the next. */
  async #turn(): Promise<number> {
    const transport = this.#transport;
    if (!transport) {
      await this.#release();
      return FOLLOW_EVERY_MS * 30;
    }
    try {
      if (!(await this.#hold(transport)) || !this.#lease) return FOLLOW_EVERY_MS;
      const more = await this.#send(transport, this.#lease);
      this.#failures = 0;
      return more ? 0 : LOOK_EVERY_MS;
    } catch (error) {
      return this.#fail(error);
    }
  }

  /** Whether this controller may send. Renews the lease in the database after half of its time. */
  async #hold({ deadlineMs }: Transport): Promise<boolean> {
    const { db, name, clock } = this.#deps;
    const leaseMs = deadlineMs + 2 * LEASE_MARGIN_MS;
    const now = clock.monotonic();
    if (this.#lease && now < this.#leasedUntilMs - leaseMs / 2) return true;
    await ensureSink(db, name);
    this.#lease = await claimSink(db, { name, holder: this.#holder, leaseMs });
    if (!this.#lease) this.#headsWaiting = [];
    this.#leasedUntilMs = this.#lease ? now + leaseMs : Number.NEGATIVE_INFINITY;
    return this.#lease !== undefined;
  }

  /** Returns whether more may be waiting. */
  async #send(transport: Transport, lease: SinkLease): Promise<boolean> {
    const { db, name, clock } = this.#deps;
    const read = await readSealed(db, lease.position, BATCH);
    if (this.#headsWaiting.length === 0) this.#headsWaiting = await this.#readHeads(lease);
    const heads = this.#headsWaiting.slice(0, HEADS);
    const entries = takeBytes(read, BATCH_BYTES - heads.length * HEAD_BYTES);
    if (entries.length > 0 || heads.length > 0) {
      await transport.deliver({ entries, heads }, () => {
        if (clock.monotonic() > this.#leasedUntilMs - transport.deadlineMs - LEASE_MARGIN_MS / 2) throw new LeaseOver();
      });
      const next: SinkLease = {
        position: entries.at(-1)?.position ?? lease.position,
        headsAt: laterOf(heads.at(-1)?.at ?? null, lease.headsAt),
      };
      if (!(await moveSink(db, { name, holder: this.#holder, from: lease.position, ...next }))) throw new LeaseOver();
      this.#lease = next;
      for (const { projectKey, seq } of heads) this.#headsSent.set(projectKey, seq);
      this.#headsWaiting = this.#headsWaiting.slice(heads.length);
    }
    return read.length === BATCH || entries.length < read.length || this.#headsWaiting.length > 0;
  }

  /** The newest unsent head of each chain, if it is time to send them; it covers all earlier ones. */
  async #readHeads({ headsAt }: SinkLease): Promise<SignedHead[]> {
    const now = this.#deps.clock.monotonic();
    if (now - this.#headsReadMs < HEADS_EVERY_MS) return [];
    const after = headsAt ? new Date(headsAt.getTime() - CLOCKS_APART_MS) : undefined;
    const heads = await readLastHeads(this.#deps.db, after);
    this.#headsReadMs = now;
    return heads.filter(({ projectKey, seq }) => seq > (this.#headsSent.get(projectKey) ?? 0));
  }

  async #fail(error: unknown): Promise<number> {
    const { db, name, logger } = this.#deps;
    if (error instanceof LeaseOver) {
      this.#lease = undefined;
      this.#headsWaiting = [];
      return 0;
    }
    this.#failures += 1;
    const message = describeFailure(error);
    logger.warn({ sink: name, reason: message, failures: this.#failures }, 'audit.forwarding_failed');
    await noteFailure(db, name, this.#holder, message).catch(() => undefined);
    const pauseMs = Math.min(BACK_OFF_MAX_MS, BACK_OFF_MIN_MS * 2 ** (this.#failures - 1));
    // Random, so that waiting controllers do not all retry a receiver at the same moment.
    return pauseMs * (0.8 + Math.random() * 0.4);
  }

  async #release(): Promise<void> {
    if (!this.#lease) return;
    this.#lease = undefined;
    this.#headsWaiting = [];
    this.#leasedUntilMs = Number.NEGATIVE_INFINITY;
    const { db, name, logger } = this.#deps;
    await releaseSink(db, name, this.#holder).catch((error: unknown) =>
      logger.warn({ err: error, sink: name }, 'audit.sink_not_released'),
    );
  }
}

function laterOf(one: Date | null, other: Date | null): Date | null {
  return one && other ? (one > other ? one : other) : (one ?? other);
}

/** The first item and as many further ones as fit. */
function takeBytes<T extends { readonly entry: unknown }>(items: readonly T[], max: number): readonly T[] {
  let bytes = 0;
  const end = items.findIndex(({ entry }, i) => {
    bytes += JSON.stringify(entry).length;
    return i > 0 && bytes > max;
  });
  return end === -1 ? items : items.slice(0, end);
}

import type { AlertTrial } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { type Clock, type Closable, CoalescedWork, createId, type Logger, toErrorMessage } from '@flotilla/kit';
import type { Keyring } from '../../../../platform/keyring/index.ts';
import { chooseChannels, type DueChannel, retryAfterMs, toInFlight } from '../../../../platform/outbound/index.ts';
import { openTarget } from '../channels/secrets.ts';
import type { ChannelRow } from '../channels/store.ts';
import type { MessagePayload } from '../notify/message.ts';
import {
  type ClaimedDelivery,
  claimDeliveries,
  createDeliveryId,
  expireDeliveries,
  findProjectName,
  listDueChannels,
  recordDelivered,
  recordFailure,
  recordTest,
  releaseDelivery,
} from './outbox-store.ts';
import type { Message } from './render.ts';
import { SEND_DEADLINE_MS, type Sender } from './sender.ts';

const LOOK_EVERY_MS = 1000;
/** Outlives every attempt and the recording of its outcome. */
const LEASE_MS = SEND_DEADLINE_MS + 30_000;
/** A message that could not be sent for so long is given up. */
const EXPIRES_AFTER_MS = 2 * 3_600_000;

export interface CourierDeps {
  readonly db: Db;
  readonly keyring: Pick<Keyring, 'decrypt'>;
  readonly sender: Pick<Sender, 'send'>;
  /** The page of the alerts of a project; undefined if the installation has no public address. */
  readonly linkTo: (projectId: string) => string | undefined;
  readonly onAttempt: (kind: string, outcome: 'delivered' | 'failed') => void;
  readonly logger: Logger;
  readonly clock: Clock;
}

interface InFlight {
  readonly channel: DueChannel;
  readonly begunMs: number;
  readonly done: Promise<void>;
}

/**
 * Delivers the messages of all channels, in order within a channel and at least once: a message whose outcome was not recorded is sent
 * again with the same id. Every controller has one; a lease on each message keeps two from sending it at the same time. A channel
 * that hangs delays only its own messages.
 */
export class Courier implements Closable {
  readonly #deps: CourierDeps;
  readonly #holder = createId();
  readonly #stopped = new AbortController();
  readonly #inFlight = new Map<string, InFlight>();
  readonly #looking = new CoalescedWork(() => this.#look());
  readonly #timer: NodeJS.Timeout;

  constructor(deps: CourierDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => this.#looking.request(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  /** Interrupts the attempts that run; their messages are sent again later. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopped.abort();
    await this.#looking.settle();
    await Promise.all([...this.#inFlight.values()].map(({ done }) => done));
  }

  /** Sends a test message at once, outside of the order and without a retry. */
  async test(row: ChannelRow, by: string): Promise<AlertTrial> {
    const { db, keyring, sender, clock } = this.#deps;
    const startedAt = new Date(clock.now());
    const payload: MessagePayload = { kind: 'test', by };
    const id = createDeliveryId(startedAt);
    const project = { id: row.project_id, name: await findProjectName(db, row.project_id) };
    const begunMs = clock.monotonic();
    const message = this.#toMessage({ id, project, at: startedAt, payload });
    const error = await sender.send(openTarget(keyring, row), message, this.#stopped.signal);
    const latency_ms = Math.round(clock.monotonic() - begunMs);
    await recordTest(db, row, { id, payload, startedAt, endedAt: new Date(clock.now()), error });
    return { ok: error === undefined, latency_ms, message: error ?? 'the receiver accepted the test message' };
  }

  async #look(): Promise<void> {
    if (this.#stopped.signal.aborted) return;
    const { db, clock, logger } = this.#deps;
    try {
      const now = clock.now();
      await expireDeliveries(db, new Date(now - EXPIRES_AFTER_MS));
      const due = await listDueChannels(db, new Date(now));
      const nowMs = clock.monotonic();
      const running = [...this.#inFlight.values()].map(({ channel, begunMs }) =>
        toInFlight({ channel, runningMs: nowMs - begunMs }),
      );
      const chosen = new Map(chooseChannels(due, running).map((channel) => [channel.id, channel]));
      if (chosen.size === 0) return;
      const claim = { holder: this.#holder, leaseMs: LEASE_MS };
      for (const claimed of await claimDeliveries(db, [...chosen.keys()], claim)) {
        const channel = chosen.get(claimed.channelId);
        if (channel) this.#begin(channel, claimed);
      }
    } catch (error) {
      logger.warn({ err: error }, 'alerts.delivery_failed');
    }
  }

  #begin(channel: DueChannel, claimed: ClaimedDelivery): void {
    const done = this.#deliver(claimed)
      .catch((error: unknown) => this.#deps.logger.warn({ err: error, delivery: claimed.id }, 'alerts.outcome_lost'))
      .finally(() => {
        this.#inFlight.delete(channel.id);
        // The next message of the channel need not wait for the clock.
        this.#looking.request();
      });
    this.#inFlight.set(channel.id, { channel, begunMs: this.#deps.clock.monotonic(), done });
  }

  async #deliver(claimed: ClaimedDelivery): Promise<void> {
    const { db, clock, logger, onAttempt } = this.#deps;
    const held = { ...claimed, holder: this.#holder };
    const error = await this.#send(claimed);
    const now = new Date(clock.now());
    if (error === undefined) {
      await recordDelivered(db, held, now);
      onAttempt(claimed.target.kind, 'delivered');
      return;
    }
    if (this.#stopped.signal.aborted) return releaseDelivery(db, held);
    const retryAt = new Date(now.getTime() + retryAfterMs(claimed.failures + 1));
    const isFinal = retryAt.getTime() - claimed.createdAt.getTime() > EXPIRES_AFTER_MS;
    await recordFailure(db, held, { error, now, retryAt, isFinal });
    onAttempt(claimed.target.kind, 'failed');
    logger.info({ channel: claimed.channelId, reason: error, isFinal }, 'alerts.not_delivered');
  }

  /** Resolves to the reason of a failure. A message that was claimed while the courier closes is not sent. */
  async #send(claimed: ClaimedDelivery): Promise<string | undefined> {
    if (this.#stopped.signal.aborted) return 'interrupted';
    const { sender, keyring } = this.#deps;
    const { id, payload, projectId, projectName, createdAt: at, channelId, target, sealed } = claimed;
    const message = this.#toMessage({ id, at, payload, project: { id: projectId, name: projectName } });
    try {
      const opened = openTarget(keyring, { id: channelId, target, sealed });
      return await sender.send(opened, message, this.#stopped.signal);
    } catch (error) {
      return toErrorMessage(error);
    }
  }

  #toMessage(parts: Omit<Message, 'link'>): Message {
    return { ...parts, link: this.#deps.linkTo(parts.project.id) };
  }
}

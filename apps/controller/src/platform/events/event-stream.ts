import { Readable } from 'node:stream';
import { sleep } from '@flotilla/kit';
import type { KnownActor } from '../http/actor.ts';
import type { Listener } from './model.ts';

/** A reader that is further behind is disconnected. It reconnects and receives what it missed. */
export const BUFFER_MAX_BYTES = 256 * 1024;

/** Time for a reader to receive the last frames. */
const END_GRACE_MS = 5000;
const DRAIN_LOOK_MS = 100;

/** `done`: no more events will follow. */
export type StreamEnd = 'reader' | 'slow' | 'session' | 'closing' | 'done' | 'time';

/** One frame of `text/event-stream`. JSON has no line breaks, so data is one line. Source: WHATWG HTML, 9.2.6. */
export function toFrame(name: string, data: unknown, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The stream of one reader. Ends once, for one reason; then `onEnd` is called. */
export class EventStream {
  readonly actor: KnownActor;
  /** The same actor in each project that the stream follows, in the order of the request. */
  readonly listeners: readonly Listener[];
  readonly body: Readable;
  #end: StreamEnd = 'reader';

  constructor(
    of: { readonly actor: KnownActor; readonly listeners: readonly Listener[] },
    onEnd: (stream: EventStream, reason: StreamEnd) => void,
  ) {
    this.actor = of.actor;
    this.listeners = of.listeners;
    this.body = new Readable({ read: () => undefined, highWaterMark: BUFFER_MAX_BYTES });
    this.body.once('close', () => onEnd(this, this.#end));
  }

  get isOpen(): boolean {
    return !this.body.destroyed && !this.body.readableEnded && this.#end === 'reader';
  }

  /** Resolves when the reader has received most of what was sent, or the stream has ended. */
  async drained(): Promise<void> {
    while (this.isOpen && this.body.readableLength > BUFFER_MAX_BYTES / 4) await sleep(DRAIN_LOOK_MS);
  }

  send(frames: string): void {
    if (!this.isOpen || frames === '') return;
    this.body.push(frames);
    if (this.body.readableLength > BUFFER_MAX_BYTES) this.#cut('slow');
  }

  /** Sends an `end` frame first, which a stalled reader will not receive. */
  end(reason: 'session' | 'closing' | 'done' | 'time'): void {
    if (!this.isOpen) return;
    this.send(toFrame('end', { reason }));
    if (!this.isOpen) return;
    this.#end = reason;
    this.body.push(null);
    setTimeout(() => this.body.destroy(), END_GRACE_MS).unref();
  }

  /** Ends at once and drops unread data. */
  destroy(reason: StreamEnd): void {
    if (!this.body.destroyed) this.#cut(reason);
  }

  #cut(reason: StreamEnd): void {
    this.#end = reason;
    this.body.destroy();
  }
}

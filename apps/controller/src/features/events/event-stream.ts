import { Readable } from 'node:stream';
import type { KnownActor } from '../../http/actor.ts';
import type { Listener } from './model.ts';

/** A reader that is further behind than this is cut off: it comes back and is told what it missed. */
export const BUFFER_MAX_BYTES = 256 * 1024;

/** How long a reader has for its last words. */
const END_GRACE_MS = 5000;

/** `done`: there is nothing more to tell. */
export type StreamEnd = 'reader' | 'slow' | 'session' | 'closing' | 'done';

/** One frame of `text/event-stream`. JSON has no line breaks, so data is one line. Source: WHATWG HTML, 9.2.6. */
export function toFrame(name: string, data: unknown, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** What one reader is sent. Ends once, for one reason; `onEnd` is called when it has. */
export class EventStream {
  readonly actor: KnownActor;
  readonly listener: Listener;
  readonly body: Readable;
  #end: StreamEnd = 'reader';

  constructor(
    of: { readonly actor: KnownActor; readonly listener: Listener },
    onEnd: (stream: EventStream, reason: StreamEnd) => void,
  ) {
    this.actor = of.actor;
    this.listener = of.listener;
    this.body = new Readable({ read: () => undefined, highWaterMark: BUFFER_MAX_BYTES });
    this.body.once('close', () => onEnd(this, this.#end));
  }

  get isOpen(): boolean {
    return !this.body.destroyed && !this.body.readableEnded && this.#end === 'reader';
  }

  send(frames: string): void {
    if (!this.isOpen || frames === '') return;
    this.body.push(frames);
    if (this.body.readableLength > BUFFER_MAX_BYTES) this.#cut('slow');
  }

  /** With a last word, which a reader that does not read will not get. */
  end(reason: 'session' | 'closing' | 'done'): void {
    if (!this.isOpen) return;
    this.send(toFrame('end', { reason }));
    if (!this.isOpen) return;
    this.#end = reason;
    this.body.push(null);
    setTimeout(() => this.body.destroy(), END_GRACE_MS).unref();
  }

  /** At once, whatever is still unread. */
  destroy(reason: StreamEnd): void {
    if (!this.body.destroyed) this.#cut(reason);
  }

  #cut(reason: StreamEnd): void {
    this.#end = reason;
    this.body.destroy();
  }
}

import { expect, vi } from 'vitest';

export interface ReadEvent {
  readonly id: string | undefined;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read events of any shape
  readonly data: any;
}

/** Reads a stream of events as a browser does. */
export class EventReader {
  readonly events: ReadEvent[] = [];
  readonly response: Response;
  readonly #abort: AbortController;
  /** Resolves when the stream has ended for any reason. */
  readonly ended: Promise<void>;

  private constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#abort = abort;
    this.ended = this.#read().catch(() => undefined);
  }

  /** Resolves after the `hello` event. */
  static async open(url: string, headers: Record<string, string>): Promise<EventReader> {
    const abort = new AbortController();
    const response = await fetch(url, { headers, signal: abort.signal });
    const reader = new EventReader(response, abort);
    if (response.ok) await vi.waitFor(() => expect(reader.events[0]?.event).toBe('hello'));
    return reader;
  }

  get changes(): unknown[] {
    return this.events.flatMap(({ event, data }) => (event === 'change' ? [data] : []));
  }

  get lastId(): string | undefined {
    return this.events.findLast(({ id }) => id !== undefined)?.id;
  }

  topics(): string[] {
    return [...new Set(this.changes.map((change) => (change as { topic: string }).topic))].toSorted();
  }

  async hears(change: Record<string, unknown>): Promise<void> {
    await vi.waitFor(() => expect(this.changes).toContainEqual(change));
  }

  close(): Promise<void> {
    this.#abort.abort();
    return this.ended;
  }

  async #read(): Promise<void> {
    if (!this.response.ok || !this.response.body) return;
    let text = '';
    for await (const chunk of this.response.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const frames = text.split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) this.events.push(parseFrame(frame));
    }
  }
}

function parseFrame(frame: string): ReadEvent {
  const fields = new Map(
    frame.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  return {
    id: fields.get('id'),
    event: fields.get('event') ?? 'message',
    data: JSON.parse(fields.get('data') ?? 'null'),
  };
}

import { StringDecoder } from 'node:string_decoder';

/** One event of `text/event-stream`. Source: WHATWG HTML, 9.2.6. */
export interface ServerEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/** An event of a controller is far smaller. */
const EVENT_MAX_CHARS = 4 * 1024 * 1024;

/** Reads the events of a stream until it ends. Throws if an event is too long. */
export async function* readEvents(stream: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent, void, undefined> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of stream) {
    rest += decoder.write(Buffer.from(chunk));
    for (let end = rest.indexOf('\n\n'); end !== -1; end = rest.indexOf('\n\n')) {
      const event = parseEvent(rest.slice(0, end));
      rest = rest.slice(end + 2);
      if (event) yield event;
    }
    if (rest.length > EVENT_MAX_CHARS) throw new Error('an event of the controller is too long');
  }
}

function parseEvent(text: string): ServerEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, name, value = ''] = /^([a-z]+): ?(.*)$/s.exec(line) ?? [];
    if (name !== undefined) fields.set(name, value);
  }
  const data = fields.get('data');
  return data === undefined ? undefined : { id: fields.get('id'), event: fields.get('event') ?? 'message', data };
}

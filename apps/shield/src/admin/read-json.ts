import type { IncomingMessage } from 'node:http';
import { err, ok, type Result } from '@flotilla/kit';

export interface Unreadable {
  readonly status: 400 | 413;
  readonly message: string;
}

/** The body of a request as JSON, at most `maxBytes` of it. What is longer is not read to its end. */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<Result<unknown, Unreadable>> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    if (!(chunk instanceof Buffer)) continue;
    length += chunk.length;
    if (length > maxBytes) return err({ status: 413, message: `the body is larger than ${maxBytes} bytes` });
    chunks.push(chunk);
  }
  try {
    return ok(JSON.parse(Buffer.concat(chunks).toString('utf8')));
  } catch {
    // The parser's own words quote the text.
    return err({ status: 400, message: 'the body is not JSON' });
  }
}

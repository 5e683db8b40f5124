import { type ClientHttp2Session, type ClientHttp2Stream, connect, type SessionOptions } from 'node:http2';
import { ECHO_PATH } from './echo-service.ts';

export interface Http2Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly trailers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

/** Opens a session of node:http2 and waits for the settings of both sides. */
export async function openSession(port: number, options: SessionOptions = {}): Promise<ClientHttp2Session> {
  const session = connect(`http://127.0.0.1:${port}`, options);
  session.on('error', () => undefined);
  const { promise, resolve } = Promise.withResolvers<void>();
  session.once('remoteSettings', () => resolve());
  await promise;
  return session;
}

export function startRequest(session: ClientHttp2Session, headers: Record<string, string> = {}): ClientHttp2Stream {
  return session.request({
    ':method': 'POST',
    ':path': ECHO_PATH,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
}

/** Collects the server's response. Rejects when the stream is reset. */
export async function readAnswer(stream: ClientHttp2Stream): Promise<Http2Answer> {
  const chunks: Buffer[] = [];
  let headers: Record<string, unknown> = {};
  let trailers: Record<string, unknown> = {};
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  stream.on('response', (fields) => {
    headers = { ...fields };
  });
  stream.on('trailers', (fields) => {
    trailers = { ...fields };
  });
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => resolve());
  stream.on('error', reject);
  await promise;
  return { status: Number(headers[':status']), headers, trailers, body: Buffer.concat(chunks) };
}

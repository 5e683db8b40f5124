import {
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { fromBinary } from '@bufbuild/protobuf';
import { extProc } from '@flotilla/proto';
import type { ExtProcTransport, OpenExchange } from './ext-proc-transport.ts';
import { GrpcFrameReader, toGrpcFrame } from './grpc-frames.ts';
import { formatAddress, type ListenAddress, removeDeadSocket, restrictSocket } from './listen-address.ts';

const PROCESS_PATH = '/envoy.service.ext_proc.v3.ExternalProcessor/Process';

/** gRPC status codes (grpc/status.proto). */
const STATUS = { ok: '0', unimplemented: '12', internal: '13' } as const;

/** Header lists larger than this end the call: Envoy itself refuses requests with more than 60 KiB of headers by default. */
const MESSAGE_MAX_BYTES = 16 * 1024 * 1024;
const STREAMS_MAX = 100_000;

/**
 * Envoy resets the stream of every finished exchange. To a server that guards against floods of resets
 * (CVE-2023-44487: 1,000 at once, 33 a second) a busy proxy looks like one: it would lose its connection, and the requests
 * in flight on it, every few seconds. Whoever reaches this socket is the proxy.
 */
const RESETS_UNLIMITED = { streamResetBurst: 2 ** 31, streamResetRate: 2 ** 31 };

/** The exchange protocol as gRPC over node:http2. `onError` hears every exchange that ended by a throw. */
export function createHttp2Transport(open: OpenExchange, onError: (error: unknown) => void): ExtProcTransport {
  const server = createServer({ ...RESETS_UNLIMITED, settings: { maxConcurrentStreams: STREAMS_MAX } });
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    // A broken connection takes its exchanges with it; the proxy opens the next one.
    session.on('error', () => session.destroy());
  });
  server.on('stream', (stream, headers) => {
    // Envoy resets the stream when its client goes away: nothing is left to do, and nothing is wrong.
    stream.on('error', () => undefined);
    if (isProcessCall(headers)) serveExchange(stream, open, onError);
    else refuse(stream);
  });
  return {
    listen: (address) => listen(server, address),
    close: (graceMs) => close(server, sessions, graceMs),
  };
}

function isProcessCall(headers: IncomingHttpHeaders): boolean {
  return (
    headers[constants.HTTP2_HEADER_METHOD] === 'POST' &&
    headers[constants.HTTP2_HEADER_PATH] === PROCESS_PATH &&
    String(headers[constants.HTTP2_HEADER_CONTENT_TYPE]).startsWith('application/grpc')
  );
}

function serveExchange(stream: ServerHttp2Stream, open: OpenExchange, onError: (error: unknown) => void): void {
  const exchange = open();
  const reader = new GrpcFrameReader(MESSAGE_MAX_BYTES);
  let outcome: string | undefined;
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': outcome ?? STATUS.internal }));
  const finish = (status: string) => {
    outcome = status;
    stream.end();
  };
  stream.on('data', (chunk: Buffer) => {
    // What Envoy sent before it saw the end.
    if (outcome !== undefined) return;
    try {
      for (const message of reader.read(chunk)) {
        const { bytes, isLast } = exchange.answer(fromBinary(extProc.ProcessingRequestSchema, message));
        stream.write(toGrpcFrame(bytes));
        if (!isLast) continue;
        finish(STATUS.ok);
        return;
      }
    } catch (error) {
      onError(error);
      finish(STATUS.internal);
    }
  });
  // Envoy lets a request go on when its exchange ends well, also before any answer.
  stream.on('end', () => {
    if (outcome === undefined) finish(STATUS.internal);
  });
}

function refuse(stream: ServerHttp2Stream): void {
  const headers = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': STATUS.unimplemented };
  stream.respond(headers, { endStream: true });
}

async function listen(server: Http2Server, address: ListenAddress): Promise<void> {
  if (address.kind === 'unix') await removeDeadSocket(address.path);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', (error) =>
    reject(new Error(`cannot listen on ${formatAddress(address)}: ${error.message}`, { cause: error })),
  );
  if (address.kind === 'unix') server.listen(address.path, resolve);
  else server.listen(address.port, address.host, resolve);
  await promise;
  if (address.kind === 'unix') await restrictSocket(address.path);
}

async function close(server: Http2Server, sessions: ReadonlySet<ServerHttp2Session>, graceMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    for (const session of sessions) session.destroy();
  }, graceMs);
  server.close(() => resolve());
  for (const session of sessions) session.close();
  await promise;
  clearTimeout(timer);
}

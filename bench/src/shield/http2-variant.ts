import { createServer, type ServerHttp2Stream } from 'node:http2';
import type { Call, OpenCall, PreparedMessage } from '@flotilla/grpc-wire';

/** The wire on node:http2, which the filter used before its own, for comparison. */
export async function serveHttp2(port: number, open: OpenCall): Promise<void> {
  const server = createServer({
    streamResetBurst: 2 ** 31,
    streamResetRate: 2 ** 31,
    settings: { maxConcurrentStreams: 100_000 },
  });
  server.on('session', (session) => session.on('error', () => session.destroy()));
  server.on('stream', (stream) => serveCall(stream, open));
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(port, '127.0.0.1', resolve);
  await promise;
}

function serveCall(stream: ServerHttp2Stream, open: OpenCall): void {
  stream.on('error', () => undefined);
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  let status = 0;
  let isOver = false;
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': status }));
  const finish = (message: PreparedMessage | undefined, code: number) => {
    status = code;
    isOver = true;
    stream.end(message?.payload);
  };
  const call: Call = {
    send: (message) => void stream.write(message.payload),
    finish: (message) => finish(message, 0),
    fail: (code) => finish(undefined, code),
  };
  const handler = open(call);
  let rest: Buffer = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (!isOver && rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
      const end = 5 + rest.readUInt32BE(1);
      handler.onMessage(rest, 5, end);
      rest = rest.subarray(end);
    }
  });
  stream.on('end', () => {
    if (!isOver) handler.onHalfClose();
  });
}

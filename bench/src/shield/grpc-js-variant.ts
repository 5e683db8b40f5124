import type { Call, OpenCall, PreparedMessage } from '@flotilla/grpc-wire';
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';

const IDENTITY = { serialize: (bytes: Buffer) => bytes, deserialize: (bytes: Buffer) => bytes };
const PREFIX_BYTES = 5;

/** The wire on grpc-js, for comparison. */
export async function serveGrpcJs(port: number, open: OpenCall): Promise<void> {
  const server = new Server();
  server.addService(
    {
      process: {
        path: '/envoy.service.ext_proc.v3.ExternalProcessor/Process',
        requestStream: true,
        responseStream: true,
        requestSerialize: IDENTITY.serialize,
        requestDeserialize: IDENTITY.deserialize,
        responseSerialize: IDENTITY.serialize,
        responseDeserialize: IDENTITY.deserialize,
      },
    },
    { process: (stream: ServerDuplexStream<Buffer, Buffer>) => serveCall(stream, open) },
  );
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error) =>
    error === null ? resolve() : reject(error),
  );
  await promise;
}

function serveCall(stream: ServerDuplexStream<Buffer, Buffer>, open: OpenCall): void {
  const messageOf = (message: PreparedMessage) => message.payload.subarray(PREFIX_BYTES);
  const call: Call = {
    send: (message) => void stream.write(messageOf(message)),
    finish: (message) => {
      if (message) stream.write(messageOf(message));
      stream.end();
    },
    fail: (code) => stream.emit('error', { code }),
  };
  const handler = open(call);
  stream.on('data', (bytes: Buffer) => handler.onMessage(bytes, 0, bytes.length));
  stream.on('error', () => undefined);
}

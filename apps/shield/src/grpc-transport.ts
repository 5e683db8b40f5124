import { fromBinary } from '@bufbuild/protobuf';
import { extProc } from '@flotilla/proto';
import { type handleBidiStreamingCall, Server, ServerCredentials, status } from '@grpc/grpc-js';
import type { ExtProcTransport, OpenExchange } from './ext-proc-transport.ts';
import { formatAddress, type ListenAddress, removeDeadSocket, restrictSocket } from './listen-address.ts';

const PROCESS = {
  path: '/envoy.service.ext_proc.v3.ExternalProcessor/Process',
  requestStream: true,
  responseStream: true,
  requestSerialize: (): Buffer => {
    throw new Error('the filter sends no requests');
  },
  requestDeserialize: (bytes: Buffer) => fromBinary(extProc.ProcessingRequestSchema, bytes),
  responseSerialize: (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  responseDeserialize: (bytes: Buffer): Uint8Array => bytes,
} as const;

/** Header lists larger than this end the call: Envoy itself refuses requests with more than 60 KiB of headers by default. */
const MESSAGE_MAX_BYTES = 16 * 1024 * 1024;

/** The exchange protocol over grpc-js. `onError` hears every exchange that ended by a throw. */
export function createGrpcTransport(open: OpenExchange, onError: (error: unknown) => void): ExtProcTransport {
  const server = new Server({ 'grpc.max_receive_message_length': MESSAGE_MAX_BYTES });
  const handle: handleBidiStreamingCall<extProc.ProcessingRequest, Uint8Array> = (call) => {
    const exchange = open();
    let isOver = false;
    const fail = () => call.emit('error', { code: status.INTERNAL, details: 'the filter could not answer' });
    call.on('data', (message: extProc.ProcessingRequest) => {
      // What Envoy sent before it saw the end.
      if (isOver) return;
      try {
        const { bytes, isLast } = exchange.answer(message);
        call.write(bytes);
        isOver = isLast;
        if (isLast) call.end();
      } catch (error) {
        isOver = true;
        onError(error);
        fail();
      }
    });
    // Envoy lets a request go on when its exchange ends well, also before any answer.
    call.on('end', () => {
      if (!isOver) fail();
    });
    // Envoy resets the stream when its client goes away: nothing is left to do, and nothing is wrong.
    call.on('error', () => call.end());
  };
  server.addService({ Process: PROCESS }, { Process: handle });
  return {
    listen: (address) => listen(server, address),
    close: (graceMs) => close(server, graceMs),
  };
}

async function listen(server: Server, address: ListenAddress): Promise<void> {
  if (address.kind === 'unix') await removeDeadSocket(address.path);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.bindAsync(formatAddress(address), ServerCredentials.createInsecure(), (error) => {
    if (error) reject(new Error(`cannot listen on ${formatAddress(address)}: ${error.message}`, { cause: error }));
    else resolve();
  });
  await promise;
  if (address.kind === 'unix') await restrictSocket(address.path);
}

async function close(server: Server, graceMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => server.forceShutdown(), graceMs);
  server.tryShutdown(() => resolve());
  await promise;
  clearTimeout(timer);
}

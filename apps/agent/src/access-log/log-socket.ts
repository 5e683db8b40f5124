import { FILTER_HEADER } from '@flotilla/access-log';
import type { Closable } from '@flotilla/kit';
import { Server, type ServerReadableStream, type sendUnaryData } from '@grpc/grpc-js';
import { type SocketPlace, serveSocket } from '../host/index.ts';

export interface LogSocketOptions extends SocketPlace {
  /** Called for each stream; the result takes its messages. */
  readonly open: (stream: { readonly isFiltered: boolean }) => (message: Buffer) => void;
}

const KEEPALIVE_MS = 30_000;
/** Envoy sends a message when it has buffered 256 KiB; the last entry may exceed this. */
const MESSAGE_MAX_BYTES = 8 * 1024 * 1024;
/** envoy.service.accesslog.v3.StreamAccessLogsResponse has no fields. */
const EMPTY = Buffer.alloc(0);

const asBytes = (bytes: Buffer) => bytes;
const METHOD = {
  streamAccessLogs: {
    path: '/envoy.service.accesslog.v3.AccessLogService/StreamAccessLogs',
    requestStream: true,
    responseStream: false,
    requestSerialize: asBytes,
    requestDeserialize: asBytes,
    responseSerialize: asBytes,
    responseDeserialize: asBytes,
  },
};

/**
 * Opens Envoy's access log service for one service: a Unix socket that only the service's user can open. Messages are not decoded here. Envoy drops entries if
 * they are not read, so a slow agent never slows a request. A socket of an earlier agent is replaced.
 */
export async function openLogSocket(options: LogSocketOptions): Promise<Closable> {
  const server = new Server({
    'grpc.max_receive_message_length': MESSAGE_MAX_BYTES,
    'grpc.keepalive_time_ms': KEEPALIVE_MS,
    'grpc.enable_channelz': 0,
  });
  server.addService(METHOD, {
    streamAccessLogs: (call: ServerReadableStream<Buffer, Buffer>, callback: sendUnaryData<Buffer>) => {
      const take = options.open({ isFiltered: call.metadata.get(FILTER_HEADER)[0] === 'on' });
      call.on('data', take);
      call.on('error', () => undefined);
      call.on('end', () => callback(null, EMPTY));
    },
  });
  return serveSocket(server, options);
}

import { chmod, lchown, rm } from 'node:fs/promises';
import { FILTER_HEADER } from '@flotilla/access-log';
import type { Closable } from '@flotilla/kit';
import { Server, ServerCredentials, type ServerReadableStream, type sendUnaryData } from '@grpc/grpc-js';
import type { ServiceIdentity } from '../host/index.ts';

export interface LogSocketOptions {
  /** Path in a folder that only the agent may change. */
  readonly path: string;
  /** User whose Envoy may connect. Undefined means the agent's own user. */
  readonly identity: ServiceIdentity | undefined;
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
  const { path, identity } = options;
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
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${path}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    );
  });
  // The folder belongs to the agent, so nobody else can have replaced the socket.
  if (identity) await lchown(path, process.getuid?.() ?? 0, identity.gid);
  await chmod(path, 0o660);
  return {
    async close() {
      server.forceShutdown();
      await rm(path, { force: true });
    },
  };
}

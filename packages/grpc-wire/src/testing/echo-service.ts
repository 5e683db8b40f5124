import { Metadata, Server, ServerCredentials, type ServerDuplexStream, type ServiceDefinition } from '@grpc/grpc-js';
import { prepareMessage } from '../grpc/prepared-message.ts';
import { createGrpcServer } from '../grpc/server.ts';
import type { WireCounters } from '../http2/counters.ts';
import type { WireLimits } from '../http2/limits.ts';

/**
 * The only method. Each message says what to do: `echo:TEXT` sends the message back, `many:N` sends N small ones,
 * `big:N` one of N bytes, `last:TEXT` is sent back and ends the call, `fail:N` ends it with a status, and anything else
 * gets no reply. When the peer ends its side, the call ends.
 */
export const ECHO_PATH = '/flotilla.test.Echo/Call';

export interface EchoServer {
  readonly port: number;
  /** Number of calls whose end was reported: the client ended its side, reset the stream, or was lost. */
  readonly ended: () => number;
  readonly opened: () => number;
  close(graceMs: number): Promise<void>;
}

export type StartEcho = () => Promise<EchoServer>;

interface EchoActions {
  send(message: Buffer): void;
  finish(message: Buffer | undefined): void;
  fail(status: number): void;
}

function actOn(message: Buffer, actions: EchoActions): void {
  const text = message.toString('latin1', 0, 32);
  const number = Number(/^\w+:(\d+)/.exec(text)?.[1] ?? 0);
  if (text.startsWith('echo:') || message.length === 0) actions.send(message);
  else if (text.startsWith('many:')) for (let n = 0; n < number; n++) actions.send(Buffer.from(String(n)));
  else if (text.startsWith('big:')) actions.send(Buffer.alloc(number, 'x'));
  else if (text.startsWith('last:')) actions.finish(message);
  else if (text.startsWith('fail:')) actions.fail(number);
}

export interface WireEchoServer extends EchoServer {
  readonly counters: Readonly<WireCounters>;
}

export async function startWireEcho(limits: Partial<WireLimits> = {}): Promise<WireEchoServer> {
  let ended = 0;
  let opened = 0;
  const server = createGrpcServer({
    path: ECHO_PATH,
    limits,
    open: (call) => {
      opened += 1;
      const actions: EchoActions = {
        send: (message) => call.send(prepareMessage(message)),
        finish: (message) => call.finish(message && prepareMessage(message)),
        fail: (status) => call.fail(status),
      };
      return {
        onMessage: (bytes, start, end) => actOn(Buffer.from(bytes.subarray(start, end)), actions),
        onHalfClose: () => {
          ended += 1;
          call.finish(undefined);
        },
        onAbort: () => {
          ended += 1;
        },
      };
    },
  });
  await server.listen({ kind: 'tcp', host: '127.0.0.1', port: 0 });
  return {
    port: server.port,
    ended: () => ended,
    opened: () => opened,
    close: (graceMs) => server.close(graceMs),
    counters: server.counters,
  };
}

const bytesAsTheyAre = (bytes: Buffer) => bytes;

export const ECHO_SERVICE = {
  call: {
    path: ECHO_PATH,
    requestStream: true,
    responseStream: true,
    requestSerialize: bytesAsTheyAre,
    requestDeserialize: bytesAsTheyAre,
    responseSerialize: bytesAsTheyAre,
    responseDeserialize: bytesAsTheyAre,
  },
} satisfies ServiceDefinition;

/** The same service on grpc-js. */
export const startGrpcJsEcho: StartEcho = async () => {
  let ended = 0;
  let opened = 0;
  const server = new Server({ 'grpc.max_receive_message_length': 17 * 1024 * 1024 });
  server.addService(ECHO_SERVICE, {
    call: (call: ServerDuplexStream<Buffer, Buffer>) => {
      opened += 1;
      let isFinished = false;
      const actions: EchoActions = {
        send: (message) => call.write(message),
        finish: (message) => {
          isFinished = true;
          if (message !== undefined) call.write(message);
          call.end();
        },
        fail: (code) => {
          isFinished = true;
          call.emit('error', { code, details: '', metadata: new Metadata() });
        },
      };
      call.on('data', (message: Buffer) => {
        if (!isFinished) actOn(message, actions);
      });
      call.on('end', () => {
        if (isFinished) return;
        ended += 1;
        actions.finish(undefined);
      });
      call.on('cancelled', () => {
        if (isFinished) return;
        isFinished = true;
        ended += 1;
      });
      call.on('error', () => undefined);
    },
  });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
    if (error === null) resolve(port);
    else reject(error);
  });
  const port = await promise;
  return {
    port,
    ended: () => ended,
    opened: () => opened,
    close: async (graceMs) => {
      const closed = Promise.withResolvers<void>();
      const timer = setTimeout(() => server.forceShutdown(), graceMs);
      server.tryShutdown(() => closed.resolve());
      await closed.promise;
      clearTimeout(timer);
    },
  };
};

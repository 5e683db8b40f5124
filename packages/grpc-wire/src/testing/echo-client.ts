import { Client, type ClientDuplexStream, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { ECHO_PATH, ECHO_SERVICE } from './echo-service.ts';

export interface Outcome {
  readonly messages: readonly Buffer[];
  /** The gRPC status. */
  readonly code: number;
}

export interface CallOptions {
  readonly path?: string;
  readonly metadata?: Metadata;
  readonly deadlineMs?: number;
}

/** One call of a grpc-js client. */
export class EchoCall {
  readonly messages: Buffer[] = [];
  readonly outcome: Promise<Outcome>;
  readonly #stream: ClientDuplexStream<Buffer, Buffer>;
  #wake = Promise.withResolvers<void>();

  constructor(client: Client, { path = ECHO_PATH, metadata = new Metadata(), deadlineMs }: CallOptions = {}) {
    const { requestSerialize, responseDeserialize } = ECHO_SERVICE.call;
    const options = deadlineMs === undefined ? {} : { deadline: Date.now() + deadlineMs };
    this.#stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata, options);
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.outcome = promise;
    this.#stream.on('data', (message: Buffer) => {
      this.messages.push(message);
      this.#wake.resolve();
      this.#wake = Promise.withResolvers<void>();
    });
    this.#stream.on('error', (error: ServiceError) => resolve({ messages: this.messages, code: error.code }));
    this.#stream.on('end', () => undefined);
    this.#stream.on('status', ({ code }: { code: number }) => resolve({ messages: this.messages, code }));
  }

  send(message: Buffer | string): this {
    this.#stream.write(Buffer.from(message));
    return this;
  }

  end(): this {
    this.#stream.end();
    return this;
  }

  cancel(): void {
    this.#stream.cancel();
  }

  async received(count: number): Promise<readonly Buffer[]> {
    while (this.messages.length < count) await this.#wake.promise;
    return this.messages;
  }
}

export function createEchoClient(port: number): Client {
  return new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    'grpc.max_receive_message_length': 32 * 1024 * 1024,
    'grpc.use_local_subchannel_pool': 1,
  });
}

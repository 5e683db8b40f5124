import { type ClientHttp2Session, connect } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { extProc } from '@flotilla/proto';

const CALL = {
  ':method': 'POST',
  ':path': '/envoy.service.ext_proc.v3.ExternalProcessor/Process',
  'content-type': 'application/grpc',
  te: 'trailers',
};

/** Calls a filter like Envoy, over one connection. */
export class ExchangeClient {
  readonly #session: ClientHttp2Session;

  constructor(socketPath: string) {
    this.#session = connect('http://shield', { createConnection: () => connectSocket(socketPath) });
    this.#session.on('error', () => undefined);
  }

  /** The status of the block; 0 if the request is allowed. Rejects if the exchange ends without an answer. */
  ask(headers: Readonly<Record<string, string>>): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const stream = this.#session.request(CALL);
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', reject);
    stream.on('close', () => {
      const bytes = Buffer.concat(chunks);
      if (bytes.length < 5) return reject(new Error('the exchange ended without an answer'));
      const { response } = fromBinary(extProc.ProcessingResponseSchema, bytes.subarray(5));
      resolve(response.case === 'immediateResponse' ? (response.value.status?.code ?? 0) : 0);
    });
    stream.end(frame({ ':method': 'GET', ':path': '/', ':authority': 'api.example.com', ...headers }));
    return promise;
  }

  close(): void {
    this.#session.destroy();
  }
}

function frame(headers: Readonly<Record<string, string>>): Buffer {
  const message = create(extProc.ProcessingRequestSchema, {
    request: {
      case: 'requestHeaders',
      value: {
        headers: {
          headers: Object.entries(headers).map(([key, value]) => ({ key, rawValue: Buffer.from(value) })),
        },
        endOfStream: true,
      },
    },
  });
  const bytes = toBinary(extProc.ProcessingRequestSchema, message);
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([prefix, bytes]);
}

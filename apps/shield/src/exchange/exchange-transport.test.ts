import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { type ClientHttp2Session, connect } from 'node:http2';
import { connect as connectSocket, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { buildRuntime } from '@flotilla/decision';
import { loadPolicyFiles } from '@flotilla/policy';
import { extProc } from '@flotilla/proto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SILENT_LISTENER } from '../testing/silent-listener.ts';
import { ExchangeServer } from './exchange.ts';
import { createExchangeTransport, type ExchangeTransport } from './exchange-transport.ts';

const PATH = '/envoy.service.ext_proc.v3.ExternalProcessor/Process';

const encode = (init: Parameters<typeof create<typeof extProc.ProcessingRequestSchema>>[1]): Uint8Array =>
  toBinary(extProc.ProcessingRequestSchema, create(extProc.ProcessingRequestSchema, init));
const HEADERS = encode({
  request: {
    case: 'requestHeaders',
    value: { headers: { headers: [{ key: ':authority', value: 'api.example.com' }] }, endOfStream: true },
  },
});
const BODY = encode({ request: { case: 'requestBody', value: {} } });

function createExchanges(): ExchangeServer {
  const spec = {
    domains: [{ hosts: ['api.example.com'], policy: { engines: { api_key: { keys: [{ key: 'k' }] } } } }],
  };
  const document = { apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata: { name: 'p' }, spec };
  const loaded = loadPolicyFiles([{ path: 'p.json', content: JSON.stringify(document) }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  const runtime = buildRuntime(loaded.value, { nowMs: 0 });
  return new ExchangeServer({ trustedHops: 0, listener: SILENT_LISTENER, currentRuntime: () => runtime });
}

let folder: string;
let path: string;
let transport: ExchangeTransport;
let errors: unknown[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shield-grpc-'));
  path = join(folder, 's.sock');
  errors = [];
  transport = createExchangeTransport(createExchanges(), (error) => errors.push(error));
});

afterEach(async () => {
  await transport.close(1000);
  await rm(folder, { recursive: true, force: true });
});

function frame(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

async function ask(session: ClientHttp2Session, message: Uint8Array): Promise<string> {
  const stream = session.request({
    ':method': 'POST',
    ':path': PATH,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  const chunks: Buffer[] = [];
  let status = '';
  stream.on('response', (headers) => (status ||= String(headers['grpc-status'] ?? '')));
  stream.on('trailers', (headers) => (status = String(headers['grpc-status'])));
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('error', () => undefined);
  stream.on('close', resolve);
  stream.end(frame(message));
  await promise;
  const bytes = Buffer.concat(chunks);
  if (bytes.length === 0) return `status ${status}`;
  const { response } = fromBinary(extProc.ProcessingResponseSchema, bytes.subarray(5));
  return `${response.case === 'immediateResponse' ? response.value.details : response.case} ${status}`;
}

async function withSession<T>(work: (session: ClientHttp2Session) => Promise<T>): Promise<T> {
  const session = connect('http://filter', { createConnection: () => connectSocket(path) });
  session.on('error', () => undefined);
  try {
    return await work(session);
  } finally {
    session.destroy();
  }
}

describe('the transport of exchanges', () => {
  it('transports the decision of the filter, on a socket for owner and group only', async () => {
    await transport.listen({ kind: 'unix', path });
    expect((await stat(path)).mode & 0o777).toBe(0o660);
    await withSession(async (session) => {
      expect(await ask(session, HEADERS)).toBe('apikey.missing 0');
      expect(await Promise.all(Array.from({ length: 300 }, () => ask(session, HEADERS)))).toEqual(
        Array.from({ length: 300 }, () => 'apikey.missing 0'),
      );
    });
  });

  it('answers an invalid request with an error, never with a pass, and continues', async () => {
    await transport.listen({ kind: 'unix', path });
    await withSession(async (session) => {
      for (const message of [BODY, Buffer.from([0xff, 0xff]), Buffer.alloc(0)]) {
        expect(await ask(session, message)).toBe('status 13');
      }
      expect(errors.length).toBe(3);
      expect(await ask(session, HEADERS)).toBe('apikey.missing 0');
    });
  });

  it('replaces a socket without a listener, and nothing else', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(path, resolve));
    await expect(transport.listen({ kind: 'unix', path })).rejects.toThrow('is in use by a running process');
    await new Promise((resolve) => other.close(resolve));
    await writeFile(join(folder, 'file'), '');
    await expect(transport.listen({ kind: 'unix', path: join(folder, 'file') })).rejects.toThrow('is not a socket');
    await transport.listen({ kind: 'unix', path });
    await withSession(async (session) => expect(await ask(session, HEADERS)).toBe('apikey.missing 0'));
  });

  it('names an unavailable address', async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, '127.0.0.1', () => {
        const address = taken.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    await expect(transport.listen({ kind: 'tcp', host: '127.0.0.1', port })).rejects.toThrow(
      `cannot listen on 127.0.0.1:${port}`,
    );
    await new Promise((resolve) => taken.close(resolve));
  });
});

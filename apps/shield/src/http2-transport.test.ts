import { mkdtemp, rm } from 'node:fs/promises';
import { type ClientHttp2Session, connect } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, toBinary } from '@bufbuild/protobuf';
import { extProc } from '@flotilla/proto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONTINUE_REQUEST } from './answers.ts';
import type { ExtProcTransport } from './ext-proc-transport.ts';
import { createHttp2Transport } from './http2-transport.ts';

const PATH = '/envoy.service.ext_proc.v3.ExternalProcessor/Process';
const HEADERS = toBinary(
  extProc.ProcessingRequestSchema,
  create(extProc.ProcessingRequestSchema, { request: { case: 'requestHeaders', value: {} } }),
);
const LAST = toBinary(
  extProc.ProcessingRequestSchema,
  create(extProc.ProcessingRequestSchema, { request: { case: 'responseHeaders', value: {} } }),
);
const BODY = toBinary(
  extProc.ProcessingRequestSchema,
  create(extProc.ProcessingRequestSchema, { request: { case: 'requestBody', value: {} } }),
);

let folder: string;
let transport: ExtProcTransport;
let session: ClientHttp2Session;
let errors: unknown[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shield-grpc-'));
  errors = [];
  const open = () => ({
    answer: (message: extProc.ProcessingRequest) => {
      if (message.request.case === 'requestBody') throw new Error('not expected');
      return { bytes: CONTINUE_REQUEST.bytes, isLast: message.request.case === 'responseHeaders' };
    },
  });
  transport = createHttp2Transport(open, (error) => errors.push(error));
  const path = join(folder, 's.sock');
  await transport.listen({ kind: 'unix', path });
  session = connect('http://filter', { createConnection: () => connectSocket(path) });
  session.on('error', () => undefined);
});

afterEach(async () => {
  session.destroy();
  await transport.close(1000);
  await rm(folder, { recursive: true, force: true });
});

function frame(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function openStream(path = PATH) {
  return session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' });
}

async function exchange(...bodies: Uint8Array[]): Promise<{ bytes: Buffer; status: string }> {
  const stream = openStream();
  const { promise, resolve } = Promise.withResolvers<{ bytes: Buffer; status: string }>();
  const chunks: Buffer[] = [];
  let status = '';
  stream.on('response', (headers) => (status ||= String(headers['grpc-status'] ?? '')));
  stream.on('trailers', (headers) => (status = String(headers['grpc-status'])));
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('error', () => undefined);
  stream.on('close', () => resolve({ bytes: Buffer.concat(chunks), status }));
  for (const body of bodies) stream.write(body);
  stream.end();
  return promise;
}

/** The way Envoy ends an exchange: it takes the answer and resets. */
async function resetAfterAnswer(): Promise<void> {
  const stream = openStream();
  const { promise, resolve } = Promise.withResolvers<void>();
  stream.on('error', () => undefined);
  stream.on('close', resolve);
  stream.once('data', () => stream.close(8));
  stream.write(frame(LAST));
  await promise;
}

const ANSWER = frame(CONTINUE_REQUEST.bytes);

describe('the gRPC transport', () => {
  it('answers each message in order, and ends the exchange well behind the last answer', async () => {
    expect(await exchange(frame(LAST))).toEqual({ bytes: ANSWER, status: '0' });
    const all = await exchange(frame(HEADERS), frame(HEADERS), frame(LAST), frame(HEADERS));
    expect(all).toEqual({ bytes: Buffer.concat([ANSWER, ANSWER, ANSWER]), status: '0' });
  });

  it('never ends an exchange well before its last answer', async () => {
    expect((await exchange()).status).toBe('13');
    expect((await exchange(frame(HEADERS))).status).toBe('13');
  });

  it('carries many exchanges at once on one connection', async () => {
    const answers = await Promise.all(Array.from({ length: 500 }, () => exchange(frame(LAST))));
    expect(answers.filter(({ bytes }) => bytes.equals(ANSWER)).length).toBe(500);
  });

  it('ends an exchange that it cannot answer with an error, and only that one', async () => {
    const failed = await exchange(frame(BODY));
    expect(failed).toEqual({ bytes: Buffer.alloc(0), status: '13' });
    expect(errors.length).toBe(1);
    expect((await exchange(frame(LAST))).status).toBe('0');
  });

  it('answers garbage with an error, never with a pass', async () => {
    for (const garbage of [
      frame(Buffer.from([0xff, 0xff, 0xff])),
      frame(Buffer.from('not a message')),
      Buffer.from([0, 0, 0]),
    ]) {
      const { bytes, status } = await exchange(garbage);
      expect(bytes.length).toBe(0);
      expect(status).not.toBe('0');
    }
    expect((await exchange(frame(LAST))).status).toBe('0');
  });

  it('survives clients that go away in the middle', async () => {
    for (let n = 0; n < 50; n++) {
      const stream = openStream();
      stream.on('error', () => undefined);
      stream.write(frame(HEADERS).subarray(0, 4));
      stream.close(8);
    }
    expect((await exchange(frame(LAST))).status).toBe('0');
  });

  it('keeps the connection of a busy proxy, which resets the stream of every finished exchange', async () => {
    for (let batch = 0; batch < 30; batch++) {
      await Promise.all(Array.from({ length: 100 }, resetAfterAnswer));
    }
    expect(session.destroyed).toBe(false);
    expect((await exchange(frame(LAST))).status).toBe('0');
  });

  it('lets a running exchange end before it closes, and cuts one that does not', async () => {
    const stream = openStream();
    const { promise, resolve } = Promise.withResolvers<void>();
    stream.on('error', () => undefined);
    stream.on('close', resolve);
    stream.write(frame(HEADERS));
    await new Promise((done) => stream.once('data', done));
    const began = performance.now();
    await transport.close(200);
    await promise;
    const took = performance.now() - began;
    expect(took).toBeGreaterThan(150);
    expect(took).toBeLessThan(2000);
  });
});

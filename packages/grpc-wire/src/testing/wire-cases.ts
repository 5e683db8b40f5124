import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_CODE, FLAG, FRAME } from '../http2/protocol.ts';
import { ECHO_PATH, type EchoServer, startWireEcho } from './echo-service.ts';
import { dataFrame, grpcMessage, headersFrame, requestBlock, windowUpdate } from './frames.ts';
import { encodeTableSize } from './hpack-encoder.ts';
import { RawClient } from './raw-client.ts';

const { endHeaders: END_HEADERS } = FLAG;

/** Must begin the first header block of a connection, because we announce a table of 0 (RFC 7541 section 4.2). */
export const SIZE_0 = encodeTableSize(0);
/** The header block of an echo call on stream 1, the first of its connection. */
export const BLOCK = Buffer.concat([SIZE_0, requestBlock(ECHO_PATH)]);
export const LATER_BLOCK = requestBlock(ECHO_PATH);
export const ECHO = grpcMessage('echo:a');

export function open(id: number, flags = END_HEADERS as number): Buffer {
  return headersFrame(id, id === 1 ? BLOCK : LATER_BLOCK, flags);
}

export const CALL = [open(1), dataFrame(1, ECHO)];

type Expected =
  | { readonly connectionError: number }
  | { readonly streamError: number }
  | { readonly answered: number }
  | { readonly status: string };

/** Frames sent after the handshake, and the expected outcome. */
export interface WireCase {
  readonly section: string;
  readonly title: string;
  readonly send: readonly Uint8Array[];
  /** Stream errors and statuses are those of stream 1; `answered` is the stream that echoes. */
  readonly expect: Expected;
}

export const PROTOCOL = { connectionError: ERROR_CODE.protocol };
export const FRAME_SIZE = { connectionError: ERROR_CODE.frameSize };
export const FLOW_CONTROL = { connectionError: ERROR_CODE.flowControl };
export const COMPRESSION = { connectionError: ERROR_CODE.compression };
/** Stream 1 echoes, so the connection is alive. */
export const ANSWERED = { answered: 1 };

export function testCases(title: string, cases: readonly WireCase[]): void {
  describe(title, { timeout: 120_000 }, () => {
    let server: EchoServer;
    beforeAll(async () => {
      server = await startWireEcho();
    });
    afterAll(() => server.close(0));

    it.each(cases)('$section $title', async ({ send, expect: expected }) => {
      const client = await RawClient.connect({ port: server.port, host: '127.0.0.1' });
      await client.handshake();
      client.send(...send);
      if ('connectionError' in expected) {
        expect(await client.waitForError(0)).toBe(expected.connectionError);
        await client.closed;
        return;
      }
      if ('streamError' in expected) {
        expect(await client.waitForError(1)).toBe(expected.streamError);
        await expectAlive(client);
      } else if ('answered' in expected) {
        await client.waitFor(({ type, id }) => type === FRAME.data && id === expected.answered);
      } else expect((await client.waitForEnd(1)).get('grpc-status')).toBe(expected.status);
      client.destroy();
    });
  });
}

/** An error on one stream must not affect others. */
async function expectAlive(client: RawClient): Promise<void> {
  client.send(windowUpdate(0, 100_000), headersFrame(101, LATER_BLOCK), dataFrame(101, ECHO));
  await client.waitFor(({ type, id }) => type === FRAME.data && id === 101);
}

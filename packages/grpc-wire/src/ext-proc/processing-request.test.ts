import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { extProc } from '@flotilla/proto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HeaderName } from './header-list.ts';
import { ProcessingRequestReader } from './processing-request.ts';
import { MalformedMessage } from './wire-cursor.ts';

const FILTER = 'envoy.filters.http.ext_proc';

/** Everything that the reader returns for a message, as plain data. */
function readAll(bytes: Uint8Array, padding = 0) {
  const framed = Buffer.concat([Buffer.alloc(padding, 0xff), bytes, Buffer.alloc(padding, 0xff)]);
  const reader = new ProcessingRequestReader();
  const kind = reader.read(framed, padding, padding + bytes.length);
  const headers = Array.from({ length: reader.headers.count }, (_, index) => [
    reader.headers.nameAt(index),
    reader.headers.valueAt(index),
  ]);
  return {
    kind,
    headers,
    endOfStream: reader.endOfStream,
    body: reader.body.toString('hex'),
    peer: reader.attribute('source.address'),
  };
}

/** The same data, decoded by protobuf-es. */
function decodeAll(bytes: Uint8Array) {
  const { request, attributes } = fromBinary(extProc.ProcessingRequestSchema, bytes);
  const peer = Object.values(attributes).at(-1)?.['source.address'];
  const text = (header: extProc.HeaderValue) => header.value || Buffer.from(header.rawValue).toString('utf8');
  const list = (map: extProc.HeaderMap | undefined) => (map?.headers ?? []).map((header) => [header.key, text(header)]);
  const base = { kind: request.case, headers: [] as string[][], endOfStream: false, body: '' };
  const rest = { peer: typeof peer === 'string' ? peer : '' };
  switch (request.case) {
    case 'requestHeaders':
    case 'responseHeaders':
      return { ...base, ...rest, headers: list(request.value.headers), endOfStream: request.value.endOfStream };
    case 'requestBody':
    case 'responseBody':
      return {
        ...base,
        ...rest,
        body: Buffer.from(request.value.body).toString('hex'),
        endOfStream: request.value.endOfStream,
      };
    case 'requestTrailers':
    case 'responseTrailers':
      return { ...base, ...rest, headers: list(request.value.trailers) };
    case undefined:
      return { ...base, ...rest };
  }
}

const text = fc.oneof(fc.string({ maxLength: 40 }), fc.string({ unit: 'grapheme', maxLength: 200 }));
const header = fc.oneof(
  fc.record({ key: text, value: text }),
  fc.record({ key: text, rawValue: fc.uint8Array({ maxLength: 300 }) }),
);
const headerMap = fc.record({ headers: fc.array(header, { maxLength: 90 }) });
const request = fc.oneof(
  fc.record({
    case: fc.constantFrom('requestHeaders' as const, 'responseHeaders' as const),
    value: fc.record({ headers: headerMap, endOfStream: fc.boolean() }),
  }),
  fc.record({
    case: fc.constantFrom('requestBody' as const, 'responseBody' as const),
    value: fc.record({ body: fc.uint8Array({ maxLength: 5000 }), endOfStream: fc.boolean() }),
  }),
  fc.record({
    case: fc.constantFrom('requestTrailers' as const, 'responseTrailers' as const),
    value: fc.record({ trailers: headerMap }),
  }),
);
const attributes = fc.oneof(
  fc.constant({}),
  fc.record({ [FILTER]: fc.record({ 'source.address': fc.oneof(text, fc.constant(7)), other: fc.constant('x') }) }),
);
const message = fc
  .record({ request, attributes })
  .map((init) =>
    toBinary(
      extProc.ProcessingRequestSchema,
      create(
        extProc.ProcessingRequestSchema,
        init as Parameters<typeof create<typeof extProc.ProcessingRequestSchema>>[1],
      ),
    ),
  );

describe('a ProcessingRequest', () => {
  it('reads as protobuf reads it, at any offset in the bytes', () => {
    fc.assert(
      fc.property(message, fc.nat(7), (bytes, padding) => {
        expect(readAll(bytes, padding)).toEqual(decodeAll(bytes));
      }),
      { numRuns: 500 },
    );
  });

  it('with changed bytes is refused, or reads as protobuf reads it', () => {
    const change = fc.record({ at: fc.nat(), byte: fc.nat(255), cut: fc.oneof(fc.constant(0), fc.nat(40)) });
    fc.assert(
      fc.property(message, fc.array(change, { minLength: 1, maxLength: 4 }), (bytes, changes) => {
        const changed = Buffer.from(bytes);
        let end = changed.length;
        for (const { at, byte, cut } of changes) {
          if (changed.length > 0) changed[at % changed.length] = byte;
          end = Math.max(0, end - cut);
        }
        expectSameOrRefused(changed.subarray(0, end));
      }),
      { numRuns: 3000 },
    );
  });

  it('with random bytes is refused, or reads as protobuf reads it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => expectSameOrRefused(bytes)),
      { numRuns: 3000 },
    );
  });

  it.each<[string, number[]]>([
    ['nothing', []],
    ['no request, only attributes', [0x4a, 0x00]],
    ['two requests', [0x12, 0x00, 0x12, 0x00]],
    ['headers and a body', [0x12, 0x00, 0x22, 0x00]],
    ['a length behind the end', [0x12, 0x05, 0x0a]],
    ['a header that ends behind its list', [0x12, 0x06, 0x0a, 0x02, 0x0a, 0x04, 0x0a, 0x00]],
    ['field number 0', [0x02, 0x00]],
    ['a body that says to be a number', [0x22, 0x05, 0x0d, 0x01, 0x00, 0x10, 0x01]],
    ['a header whose name says to be a number', [0x12, 0x04, 0x0a, 0x02, 0x08, 0x01]],
    ['a varint of eleven bytes', [0x08, ...Array.from({ length: 10 }, () => 0xff), 0x01]],
    ['groups nested a thousand deep', Array.from({ length: 1000 }, () => 0x0b)],
  ])('is refused when it holds %s', (_, bytes) => {
    expect(() => readAll(Uint8Array.from(bytes))).toThrow(MalformedMessage);
  });

  it('leaves nothing behind for the next message', () => {
    const encode = (init: Parameters<typeof create<typeof extProc.ProcessingRequestSchema>>[1]) =>
      Buffer.from(toBinary(extProc.ProcessingRequestSchema, create(extProc.ProcessingRequestSchema, init)));
    const first = encode({
      request: {
        case: 'requestHeaders',
        value: { headers: { headers: [{ key: 'a', value: '1' }] }, endOfStream: true },
      },
      attributes: { [FILTER]: { 'source.address': '192.0.2.1:1' } },
    });
    const second = encode({ request: { case: 'requestBody', value: { body: Buffer.from('b') } } });
    const reader = new ProcessingRequestReader();
    reader.read(first, 0, first.length);
    reader.read(second, 0, second.length);
    expect([
      reader.headers.count,
      reader.endOfStream,
      reader.attribute('source.address'),
      reader.body.toString(),
    ]).toEqual([0, false, '', 'b']);
  });
});

describe('headers', () => {
  it('are found by whole name in any case, one after the other', () => {
    const bytes = Buffer.from(
      toBinary(
        extProc.ProcessingRequestSchema,
        create(extProc.ProcessingRequestSchema, {
          request: {
            case: 'requestHeaders',
            value: {
              headers: {
                headers: [
                  { key: 'x-key-2', value: 'no' },
                  { key: 'X-Key', rawValue: Buffer.from('first') },
                  { key: 'x-ke', value: 'no' },
                  { key: 'x-key', value: 'second' },
                ],
              },
            },
          },
        }),
      ),
    );
    const { headers } = new ProcessingRequestReader();
    expect(headers.find(new HeaderName('x-key'))).toBe(-1);
    const reader = new ProcessingRequestReader();
    reader.read(bytes, 0, bytes.length);
    const name = new HeaderName('X-KEY');
    const first = reader.headers.find(name);
    const second = reader.headers.find(name, first + 1);
    expect([first, second].map((index) => reader.headers.valueAt(index))).toEqual(['first', 'second']);
    expect(reader.headers.find(name, second + 1)).toBe(-1);
  });
});

/** A message that our reader accepts has the meaning that protobuf gives it; our reader may reject more. */
function expectSameOrRefused(bytes: Uint8Array): void {
  let read: ReturnType<typeof readAll>;
  try {
    read = readAll(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(MalformedMessage);
    return;
  }
  let decoded: ReturnType<typeof decodeAll>;
  try {
    decoded = decodeAll(bytes);
  } catch {
    // Attributes and text are decoded lazily, so the reader may not have checked them.
    return;
  }
  expect(read).toEqual(decoded);
}

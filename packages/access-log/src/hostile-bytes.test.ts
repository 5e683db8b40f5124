import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBatch } from './codec/decode-batch.ts';
import { encodeBatch } from './codec/encode-batch.ts';
import { ENTRY_LIMITS, type LogEntry } from './entry.ts';
import { Reducer } from './reduce/reducer.ts';
import { encodeConnections, encodeRequests, requestOf } from './testing/messages.ts';
import { MessageReader } from './wire/read-message.ts';

const reader = new MessageReader();
const reducer = new Reducer();

function readAll(message: Buffer) {
  const entries: LogEntry[] = [];
  const counts = reader.readEntries(message, (raw) => entries.push(reducer.reduce(raw, { isFiltered: true })));
  return { entries, counts };
}

/** The length-delimited field `number`. */
function field(number: number, content: Buffer): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(content.length), content]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

const bytes = (lengthMax: number) => fc.uint8Array({ maxLength: lengthMax }).map((one) => Buffer.from(one));

describe('a message with hostile bytes', () => {
  it('never fails, whatever the bytes are', () => {
    fc.assert(
      fc.property(bytes(300), (message) => {
        readAll(message);
        readAll(field(2, field(1, message)));
        reader.readLogName(message);
      }),
    );
  });

  it('with one changed byte gives entries that travel in a batch', () => {
    const message = Buffer.concat([
      encodeRequests(requestOf({ request: { request_headers: { cookie: 'sid=1', authorization: 'Basic eDp5' } } })),
      encodeConnections({ common_properties: { upstream_cluster: 'x' }, connection_properties: { sent_bytes: '1' } }),
    ]);
    const change = fc.record({ at: fc.nat(message.length - 1), value: fc.nat(255) });
    fc.assert(
      fc.property(change, ({ at, value }) => {
        const changed = Buffer.from(message);
        changed[at] = value;
        const { entries } = readAll(changed);
        const decoded = decodeBatch(encodeBatch({ listener: 'x', entries }));
        expect(decoded).toEqual({ ok: true, value: { listener: 'x', entries } });
      }),
    );
  });

  it('loses only the entries that cannot be read', () => {
    const good = encodeRequests(requestOf({}));
    const cut = encodeRequests(requestOf({ request: { path: '/second' } })).subarray(0, 40);
    const list = Buffer.concat([
      field(2, field(1, Buffer.from([0x0a, 0xff, 0xff, 0xff, 0x7f]))),
      good,
      field(2, field(1, Buffer.from([0x0b]))),
      good,
      cut,
    ]);
    const { entries, counts } = readAll(list);
    expect(entries.map(({ path }) => path)).toEqual(['/v1/orders/4711', '/v1/orders/4711']);
    expect(counts).toEqual({ entries: 2, intermediate: 0, malformed: 3 });
  });

  it('keeps entries with unknown fields of every kind', () => {
    const unknown = Buffer.concat([
      varint(100 * 8),
      varint(7),
      field(101, Buffer.from('x')),
      varint(102 * 8 + 1),
      Buffer.alloc(8),
      varint(103 * 8 + 5),
      Buffer.alloc(4),
    ]);
    const entry = Buffer.concat([unknown, field(3, Buffer.concat([unknown, field(5, Buffer.from('/x'))])), unknown]);
    expect(readAll(Buffer.concat([unknown, field(2, field(1, entry))]))).toMatchObject({
      entries: [{ path: '/x' }],
      counts: { entries: 1, malformed: 0 },
    });
  });
});

describe('an entry with hostile texts', () => {
  const withPath = (path: Buffer) => field(2, field(1, field(3, field(5, path))));
  const pathOf = (path: Buffer) => readAll(withPath(path)).entries[0]?.path;

  it('has no NUL, no control character and only whole characters', () => {
    expect(pathOf(Buffer.from('/a\u0000b\u0007c'))).toBe('/a b c');
    expect(pathOf(Buffer.from([0x2f, 0xff, 0xc3]))).toBe('/\ufffd\ufffd');
    const long = pathOf(Buffer.from(`/${'\u{1f600}'.repeat(5000)}`));
    expect(long?.length).toBeLessThanOrEqual(ENTRY_LIMITS.path);
    expect(long?.isWellFormed()).toBe(true);
  });

  it('has a path within the limit, also of 64 KiB', () => {
    expect(pathOf(Buffer.from(`/${'a'.repeat(65_536)}?${'b=1&'.repeat(16_000)}`))).toHaveLength(ENTRY_LIMITS.path);
  });

  it('survives a bomb of headers', () => {
    const header = (name: string, value: string) =>
      field(13, Buffer.concat([field(1, Buffer.from(name)), field(2, Buffer.from(value))]));
    const many = Array.from({ length: 5000 }, (_, i) => header(`x-${i}`, 'v'.repeat(100)));
    const twice = [header('authorization', 'Bearer a'), header('authorization', 'Basic eDp5')];
    const { entries } = readAll(field(2, field(1, field(3, Buffer.concat([...many, ...twice])))));
    expect(entries).toMatchObject([{ auth: 'basic' }]);
  });
});

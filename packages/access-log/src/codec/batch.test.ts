import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AUTH_SCHEMES, ENTRY_LIMITS, type LogEntry, SIGNS } from '../entry.ts';
import { SAMPLE_ENTRY } from '../testing/sample-entry.ts';
import { BatchWriter } from './batch-writer.ts';
import { decodeBatch } from './decode-batch.ts';
import { compressBatch, encodeBatch } from './encode-batch.ts';

const text = (maxLength: number) =>
  fc.string({ maxLength, unit: 'grapheme' }).map((one) =>
    one
      .replace(/\p{Cc}/gu, '')
      .slice(0, maxLength)
      .toWellFormed(),
  );
const count = fc.integer({ min: 0, max: 2 ** 48 });

const entries: fc.Arbitrary<LogEntry> = fc.record({
  timeMs: fc.integer({ min: 0, max: 4_000_000_000_000 }),
  latencyUs: count,
  protocol: fc.constantFrom('tcp', 'http/1.0', 'http/1.1', 'http/2', 'http/3'),
  method: fc.constantFrom('', 'GET', 'POST', 'OTHER'),
  authority: text(255),
  path: text(400).map((one) => `/${one.replaceAll('?', '')}`),
  status: fc.integer({ min: 0, max: 999 }),
  grpcStatus: fc.nat(255),
  requestBytes: count,
  responseBytes: count,
  requestId: fc.oneof(fc.uuid(), text(64), fc.constant('')),
  sourceAddress: fc.oneof(fc.ipV4(), fc.constant('2001:db8::1'), fc.constant('')),
  userAgent: text(512),
  responseFlags: fc.constantFrom('', 'NR', 'UF,URX'),
  route: text(64),
  cluster: text(64),
  tlsVersion: fc.constantFrom('', 'TLSv1_2', 'TLSv1_3'),
  requestContentType: fc.constantFrom('', 'application/json'),
  contentType: fc.constantFrom('', 'text/html'),
  graphqlOperation: fc.constantFrom('', 'GetOrders'),
  origin: text(255),
  auth: fc.constantFrom(...AUTH_SCHEMES),
  identityHash: fc.constantFrom('', 'ab'.repeat(16), '0f'.repeat(16)),
  tokenLifetimeS: fc.nat(2 ** 31 - 1),
  queryNames: fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9_.-]{0,20}$/), { maxLength: 32 }),
  queryPii: fc.subarray(['email', 'phone', 'ssn']),
  signs: fc.subarray([...SIGNS]),
  action: fc.constantFrom('', 'allow', 'block', 'detect'),
  engine: fc.constantFrom('', 'jwt', 'rate_limit'),
});

const content = fc.record({ listener: text(100), entries: fc.array(entries, { maxLength: 30 }) });

describe('a batch', () => {
  it('is read as it was written, with and without compression', async () => {
    await fc.assert(
      fc.asyncProperty(content, async (batch) => {
        const plain = encodeBatch(batch);
        expect(decodeBatch(plain)).toEqual({ ok: true, value: batch });
        expect(decodeBatch(await compressBatch(plain))).toEqual({ ok: true, value: batch });
      }),
    );
  });

  it('of alike entries takes a few bytes for each', async () => {
    const alike = Array.from({ length: 1000 }, (_, i) => ({ ...SAMPLE_ENTRY, timeMs: SAMPLE_ENTRY.timeMs + i }));
    const plain = encodeBatch({ listener: 'http', entries: alike });
    expect(plain.length / alike.length).toBeLessThan(60);
    expect((await compressBatch(plain)).length).toBeLessThan(plain.length / 2);
  });

  it('ends before its limits of entries and bytes', () => {
    const writer = new BatchWriter('http');
    for (let i = 0; i < ENTRY_LIMITS.entries; i += 1) expect(writer.add(SAMPLE_ENTRY)).toBe(true);
    expect(writer.add(SAMPLE_ENTRY)).toBe(false);
    expect(decodeBatch(writer.finish())).toMatchObject({
      ok: true,
      value: { entries: { length: ENTRY_LIMITS.entries } },
    });
    const wide = new BatchWriter('http');
    let added = 0;
    while (wide.add({ ...SAMPLE_ENTRY, path: `/${added}${'\u4e00'.repeat(4000)}` })) added += 1;
    expect(added).toBeGreaterThan(200);
    expect(wide.finish().length).toBeLessThanOrEqual(ENTRY_LIMITS.batchBytes);
  });
});

describe('a batch of an agent that somebody has taken over', () => {
  const plain = encodeBatch({ listener: 'http', entries: [SAMPLE_ENTRY, { ...SAMPLE_ENTRY, path: '/second' }] });
  const errorOf = (bytes: Uint8Array) => {
    const decoded = decodeBatch(bytes);
    return decoded.ok ? undefined : decoded.error;
  };

  it('never throws, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        decodeBatch(bytes);
        decodeBatch(Buffer.concat([plain.subarray(0, 12), bytes]));
      }),
    );
  });

  it('with one changed byte is refused, or has entries within the limits', () => {
    fc.assert(
      fc.property(fc.nat(plain.length - 1), fc.nat(255), (at, value) => {
        const changed = Buffer.from(plain);
        changed[at] = value;
        const decoded = decodeBatch(changed);
        if (!decoded.ok) return;
        // An accepted batch can be written again.
        expect(decodeBatch(encodeBatch(decoded.value))).toEqual(decoded);
      }),
    );
  });

  it('is refused if it is cut off anywhere, or followed by bytes', () => {
    for (let end = 0; end < plain.length; end += 1) expect(errorOf(plain.subarray(0, end)), `${end}`).toBeDefined();
    expect(errorOf(Buffer.concat([plain, Buffer.of(0)]))).toBe('there are bytes behind the last entry');
  });

  it('is refused if a text does not fit its field', () => {
    const refused: Partial<LogEntry>[] = [
      { path: '/a?token=secret' },
      { identityHash: 'alice' },
      { method: 'get' },
      { sourceAddress: 'localhost' },
      { action: 'drop' },
      { engine: '<script>' },
      { queryNames: ['Upper'] },
      { userAgent: 'x'.repeat(513) },
    ];
    for (const change of refused) {
      expect(
        errorOf(encodeBatch({ listener: 'x', entries: [{ ...SAMPLE_ENTRY, ...change }] })),
        JSON.stringify(change),
      ).toMatch(/does not fit/);
    }
  });

  it('is refused if it decompresses to more than it says, or to more than a batch may have', () => {
    const pack = (length: number, body: Uint8Array) => {
      const prefix = Buffer.alloc(5);
      prefix[0] = 2;
      prefix.writeUInt32LE(length, 1);
      return Buffer.concat([prefix, deflateRawSync(body)]);
    };
    expect(decodeBatch(pack(plain.length - 1, plain.subarray(1)))).toEqual(decodeBatch(plain));
    expect(errorOf(pack(100, Buffer.alloc(100_000_000)))).toBe('the batch cannot be decompressed');
    expect(errorOf(pack(5_000_000, Buffer.alloc(10)))).toBe('the batch is too large');
    expect(errorOf(pack(200, Buffer.alloc(10)))).toBe('the batch has another length than it says');
  });

  it('has texts without control characters', () => {
    const bytes = Buffer.from(plain);
    bytes[bytes.indexOf('/second')] = 0;
    expect(decodeBatch(bytes)).toMatchObject({ ok: true, value: { entries: [{}, { path: ' second' }] } });
  });

  it('is refused in a version that is not known', () => {
    expect(errorOf(Buffer.concat([Buffer.of(9), plain.subarray(1)]))).toBe('the version is not known');
  });
});

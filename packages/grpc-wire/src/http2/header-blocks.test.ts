import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RequestHead } from '../grpc/request-head.ts';
import { HpackDecoder } from '../hpack/decoder.ts';
import { requestFields } from '../testing/frames.ts';
import { encodeBlock, encodeField, encodeInteger, encodeTableSize, type Field } from '../testing/hpack-encoder.ts';
import { HeaderBlocks } from './header-blocks.ts';

const PATH = '/flotilla.test.Echo/Call';
const LIST_BYTES = 64 * 1024;

class CountingHead extends RequestHead {
  decoded = 0;

  override begin(isTrailers: boolean): void {
    this.decoded += 1;
    super.begin(isTrailers);
  }
}

function create() {
  const head = new CountingHead(PATH, LIST_BYTES);
  return { head, blocks: new HeaderBlocks(head) };
}

function kindOf(blocks: HeaderBlocks, block: Buffer): string {
  const verdict = blocks.readRequest(block, 0, block.length);
  return typeof verdict === 'string' ? verdict : verdict.kind;
}

const FIELDS = requestFields(PATH);
const PLAIN = encodeBlock(FIELDS, { huffman: true });
const OTHER_METHOD = encodeBlock(requestFields('/flotilla.test.Echo/Other'));

describe('HeaderBlocks', () => {
  it('decodes a repeated block once, and tells it from other blocks', () => {
    const { head, blocks } = create();
    for (let n = 0; n < 10; n++) {
      expect(kindOf(blocks, PLAIN)).toBe('call');
      expect(kindOf(blocks, OTHER_METHOD)).toBe('refuse');
    }
    expect(head.decoded).toBe(2);
  });

  it('recognizes a block at another offset of another buffer', () => {
    const { head, blocks } = create();
    kindOf(blocks, PLAIN);
    const moved = Buffer.concat([Buffer.alloc(7, 0xff), PLAIN, Buffer.alloc(3)]);
    expect(blocks.readRequest(moved, 7, 7 + PLAIN.length)).toMatchObject({ kind: 'call' });
    expect(head.decoded).toBe(1);
  });

  it('keeps the most recent of blocks that never repeat', () => {
    const { head, blocks } = create();
    const withId = (n: number) => encodeBlock([...FIELDS, ['x-request-id', String(n)]]);
    for (let n = 0; n < 100; n++) kindOf(blocks, withId(n));
    expect(head.decoded).toBe(100);
    kindOf(blocks, withId(99));
    expect(head.decoded).toBe(100);
    kindOf(blocks, withId(0));
    expect(head.decoded).toBe(101);
  });

  it('decodes a block that refers to the table every time, because the table gives its meaning', () => {
    const { blocks } = create();
    const others = encodeBlock(FIELDS.filter(([name]) => name !== ':path'));
    const insert = (path: string) => encodeField([':path', path], { indexing: 'insert' });
    const referring = Buffer.concat([encodeInteger(0x80, 7, 62), others]);
    expect(kindOf(blocks, Buffer.concat([insert(PATH), others]))).toBe('call');
    expect(kindOf(blocks, referring)).toBe('call');
    expect(kindOf(blocks, Buffer.concat([insert('/other'), others]))).toBe('refuse');
    expect(kindOf(blocks, referring)).toBe('refuse');
  });

  it('decodes a known block if the peer still owes a size update', () => {
    const { blocks } = create();
    expect(kindOf(blocks, PLAIN)).toBe('call');
    kindOf(blocks, encodeField([':path', PATH], { indexing: 'insert' }));
    blocks.limitTable(0);
    expect(kindOf(blocks, PLAIN)).toBe('no table size update where the limit sank');
  });

  it('gives the same verdicts as without a cache', () => {
    const path: Field[] = [
      [':path', PATH],
      [':path', '/other'],
    ];
    const rest = encodeBlock(FIELDS.filter(([name]) => name !== ':path'));
    const one = fc.oneof(
      fc.constantFrom(PLAIN, OTHER_METHOD, Buffer.concat([encodeInteger(0x80, 7, 62), rest])),
      fc
        .tuple(fc.constantFrom(...path), fc.constantFrom('none' as const, 'insert' as const))
        .map(([field, indexing]) => Buffer.concat([encodeField(field, { indexing }), rest])),
      fc.integer({ min: 0, max: 200 }).map((bytes) => Buffer.concat([encodeTableSize(bytes), PLAIN])),
      fc.constant('limit' as const),
    );
    fc.assert(
      fc.property(fc.array(one, { maxLength: 25 }), (steps) => {
        const { blocks } = create();
        const decoder = new HpackDecoder();
        const judge = new RequestHead(PATH, LIST_BYTES);
        for (const step of steps) {
          if (step === 'limit') {
            blocks.limitTable(100);
            decoder.limitTable(100);
            continue;
          }
          judge.begin(false);
          const expected = decoder.decode(step, 0, step.length, judge) ?? judge.verdict().kind;
          expect(kindOf(blocks, step)).toBe(expected);
          if (expected !== 'call' && expected !== 'refuse' && expected !== 'malformed') return;
        }
      }),
      { numRuns: 500 },
    );
  });
});

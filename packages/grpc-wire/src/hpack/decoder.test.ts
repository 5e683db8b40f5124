import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeBlock,
  encodeField,
  encodeInteger,
  encodeString,
  encodeTableSize,
  type Field,
} from '../testing/hpack-encoder.ts';
import { type FieldSink, HpackDecoder } from './decoder.ts';

class Fields implements FieldSink {
  readonly list: [string, string][] = [];

  onField(
    name: Uint8Array,
    nameStart: number,
    nameEnd: number,
    value: Uint8Array,
    valueStart: number,
    valueEnd: number,
  ): void {
    const text = (bytes: Uint8Array, start: number, end: number) =>
      Buffer.from(bytes.subarray(start, end)).toString('latin1');
    this.list.push([text(name, nameStart, nameEnd), text(value, valueStart, valueEnd)]);
  }
}

function decode(decoder: HpackDecoder, block: Buffer): [string, string][] | string {
  const fields = new Fields();
  return decoder.decode(block, 0, block.length, fields) ?? fields.list;
}

function decodeHex(decoder: HpackDecoder, hex: string): string | string[] {
  const fields = decode(decoder, Buffer.from(hex.replaceAll(' ', ''), 'hex'));
  return typeof fields === 'string' ? fields : fields.map(([name, value]) => `${name}: ${value}`);
}

describe('the examples of RFC 7541 appendix C', () => {
  it.each([
    ['C.2.1', '400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572', 'custom-key: custom-header'],
    ['C.2.2', '040c 2f73 616d 706c 652f 7061 7468', ':path: /sample/path'],
    ['C.2.3', '1008 7061 7373 776f 7264 0673 6563 7265 74', 'password: secret'],
    ['C.2.4', '82', ':method: GET'],
  ])('%s: one field in its representation', (_, hex, field) => {
    expect(decodeHex(new HpackDecoder(), hex)).toEqual([field]);
  });

  const requests = [
    [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com'],
    [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com', 'cache-control: no-cache'],
    [':method: GET', ':scheme: https', ':path: /index.html', ':authority: www.example.com', 'custom-key: custom-value'],
  ];
  it.each([
    [
      'C.3',
      [
        '8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
        '8286 84be 5808 6e6f 2d63 6163 6865',
        '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65',
      ],
    ],
    [
      'C.4',
      [
        '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff',
        '8286 84be 5886 a8eb 1064 9cbf',
        '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf',
      ],
    ],
  ])('%s: three requests of a connection share the dynamic table', (_, blocks) => {
    const decoder = new HpackDecoder();
    expect(blocks.map((block) => decodeHex(decoder, block))).toEqual(requests);
  });

  const responses = [
    [
      ':status: 302',
      'cache-control: private',
      'date: Mon, 21 Oct 2013 20:13:21 GMT',
      'location: https://www.example.com',
    ],
    [
      ':status: 307',
      'cache-control: private',
      'date: Mon, 21 Oct 2013 20:13:21 GMT',
      'location: https://www.example.com',
    ],
    [
      ':status: 200',
      'cache-control: private',
      'date: Mon, 21 Oct 2013 20:13:22 GMT',
      'location: https://www.example.com',
      'content-encoding: gzip',
      'set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1',
    ],
  ];
  it.each([
    [
      'C.5',
      [
        '4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
        '4803 3330 37c1 c0bf',
        '88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31',
      ],
    ],
    [
      'C.6',
      [
        '4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3',
        '4883 640e ffc1 c0bf',
        '88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07',
      ],
    ],
  ])('%s: a table of 256 bytes evicts', (_, blocks) => {
    const decoder = new HpackDecoder();
    expect(decode(decoder, encodeTableSize(256))).toEqual([]);
    expect(blocks.map((block) => decodeHex(decoder, block))).toEqual(responses);
  });
});

describe('HpackDecoder', { timeout: 120_000 }, () => {
  it('decodes every representation written by an independent encoder', () => {
    const text = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) });
    const field = fc.tuple(text, text);
    const options = fc.record({
      huffman: fc.boolean(),
      indexing: fc.constantFrom('none' as const, 'never' as const, 'insert' as const),
    });
    fc.assert(
      fc.property(fc.array(fc.array(fc.tuple(field, options)), { maxLength: 5 }), (blocks) => {
        const decoder = new HpackDecoder();
        for (const block of blocks) {
          const bytes = Buffer.concat(block.map(([one, how]) => encodeField(one, how)));
          expect(decode(decoder, bytes)).toEqual(block.map(([one]) => one));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('keeps the same table as a plain list would, at any size', () => {
    const size = fc.integer({ min: 0, max: 300 }).map((bytes) => ({ kind: 'size' as const, bytes }));
    const insert = fc
      .tuple(fc.string({ unit: 'grapheme-ascii', maxLength: 40 }), fc.string({ unit: 'grapheme-ascii', maxLength: 40 }))
      .map((field) => ({ kind: 'insert' as const, field }));
    fc.assert(
      fc.property(fc.array(fc.oneof(size, insert, insert, insert), { maxLength: 60 }), (steps) => {
        const decoder = new HpackDecoder();
        let model: Field[] = [];
        let limit = 4096;
        const sizeOf = ([name, value]: Field) => name.length + value.length + 32;
        for (const step of steps) {
          if (step.kind === 'size') limit = step.bytes;
          else model = [step.field, ...model];
          while (model.reduce((sum, field) => sum + sizeOf(field), 0) > limit) model = model.slice(0, -1);
          const block = step.kind === 'size' ? encodeTableSize(limit) : encodeField(step.field, { indexing: 'insert' });
          expect(decode(decoder, block)).not.toBeTypeOf('string');
          const all = Buffer.concat(model.map((_, n) => encodeInteger(0x80, 7, 62 + n)));
          expect(decode(decoder, all)).toEqual(model);
          expect(decode(new HpackDecoder(), encodeInteger(0x80, 7, 62))).toBe('an index out of bounds');
        }
      }),
      { numRuns: 100 },
    );
  });

  it('takes a name from an entry that its own insertion evicts (RFC 7541 section 4.4)', () => {
    const decoder = new HpackDecoder();
    const long: Field = ['name', 'v'.repeat(40)];
    decode(decoder, Buffer.concat([encodeTableSize(90), encodeField(long, { indexing: 'insert' })]));
    const block = Buffer.concat([encodeInteger(0x40, 6, 62), encodeString('w'.repeat(50))]);
    expect(decode(decoder, block)).toEqual([['name', 'w'.repeat(50)]]);
    expect(decode(decoder, encodeInteger(0x80, 7, 62))).toEqual([['name', 'w'.repeat(50)]]);
  });

  it('empties the table for an entry larger than the whole table', () => {
    const decoder = new HpackDecoder();
    decode(decoder, encodeField(['a', 'b'], { indexing: 'insert' }));
    decode(decoder, encodeField(['a', 'b'.repeat(5000)], { indexing: 'insert' }));
    expect(decode(decoder, encodeInteger(0x80, 7, 62))).toBe('an index out of bounds');
  });

  it.each([
    ['index 0', '80', 'an index out of bounds'],
    ['an index behind both tables', 'be', 'an index out of bounds'],
    ['a name index behind both tables', '7f00 0161', 'an index out of bounds'],
    ['an integer without end', `ff${'80'.repeat(20)}00`, 'an integer out of bounds'],
    ['an integer over 28 bits', 'ffffffffff7f', 'an integer out of bounds'],
    ['an integer cut off', 'ffff', 'a block that ends within a field'],
    ['a name cut off', '0005 6162', 'a block that ends within a field'],
    ['a value cut off', '0001 6105 62', 'a block that ends within a field'],
    ['a field without its value', '0001 61', 'a block that ends within a field'],
    ['a length beyond the block', '007f ffff 7f', 'a block that ends within a field'],
    ['Huffman with padding of zeros', '0081 1800', 'a broken Huffman string'],
    ['Huffman with eight bits of padding', '0082 1fff 00', 'a broken Huffman string'],
    ['Huffman with EOS', '0084 ffff ffff 00', 'a broken Huffman string'],
    ['a table over 4096', '3fe2 1f', 'a table size above the limit'],
    ['a table size behind a field', '8220', 'a table size update behind a field'],
  ])('refuses %s', (_, hex, error) => {
    expect(decodeHex(new HpackDecoder(), hex)).toBe(error);
  });

  it("requires a size update in the first block after the limit fell below the table's content", () => {
    const acknowledged = () => {
      const decoder = new HpackDecoder();
      decodeHex(decoder, '4001610162');
      decoder.limitTable(0);
      return decoder;
    };
    expect(decodeHex(acknowledged(), '82')).toBe('no table size update where the limit sank');
    expect(decodeHex(acknowledged(), '2182')).toBe('a table size above the limit');
    const decoder = acknowledged();
    expect(decodeHex(decoder, '2082')).toEqual([':method: GET']);
    expect(decodeHex(decoder, '82')).toEqual([':method: GET']);
  });

  it('requires no size update of an encoder with an empty table, and still bounds its insertions', () => {
    const decoder = new HpackDecoder();
    decoder.limitTable(0);
    expect(decodeHex(decoder, '82')).toEqual([':method: GET']);
    expect(decodeHex(decoder, '4001610162')).toEqual(['a: b']);
    expect(decodeHex(decoder, 'be')).toEqual(['a: b']);
    for (let n = 0; n < 1000; n++) decodeHex(decoder, '4001610162');
    expect(decodeHex(decoder, 'ff4082')).toBe('an index out of bounds');
    expect(decodeHex(decoder, '2182')).toBe('a table size above the limit');
  });

  it('accepts several size updates at the start of a block, as sent by an encoder that shrank and grew', () => {
    const decoder = new HpackDecoder();
    decodeHex(decoder, '4001610162');
    expect(decodeHex(decoder, '203fe11fbe')).toBe('an index out of bounds');
    expect(decodeHex(new HpackDecoder(), '203fe11f82')).toEqual([':method: GET']);
  });

  it('requires no size update if the table was small enough already', () => {
    const decoder = new HpackDecoder();
    decodeHex(decoder, '2082');
    decoder.limitTable(0);
    expect(decodeHex(decoder, '82')).toEqual([':method: GET']);
  });

  it('never throws, and a truncated block is an error or a shorter list', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        decode(new HpackDecoder(), Buffer.from(bytes));
      }),
      { numRuns: 2000 },
    );
    const block = encodeBlock(
      [
        ['name', 'value'],
        ['other', 'x'.repeat(300)],
      ],
      { huffman: true },
    );
    for (let end = 0; end < block.length; end++) {
      const result = decode(new HpackDecoder(), block.subarray(0, end));
      expect(typeof result === 'string' || result.length < 2).toBe(true);
    }
  });
});

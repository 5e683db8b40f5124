import {
  brotliCompressSync,
  brotliDecompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gunzipSync,
  gzipSync,
  inflateRawSync,
  inflateSync,
  zstdCompressSync,
} from 'node:zlib';
import { type Budget, BudgetExceeded, UNLIMITED } from '@flotilla/engines';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeContent } from './content-encoding.ts';

const TEXT = Buffer.from('{"query":"{ a }"}');
const CODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gzipSync(bytes),
  'x-gzip': (bytes) => gzipSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
  br: (bytes) => brotliCompressSync(bytes),
  zstd: (bytes) => zstdCompressSync(bytes),
};
const CAP = 64 * 1024;

function decode(bytes: Buffer, encodings: readonly string[], cap = CAP, budget: Budget = UNLIMITED): string {
  const decoded = decodeContent(bytes, encodings, { maxBytes: cap, budget });
  return typeof decoded === 'string' ? decoded : decoded.toString();
}

describe('a coded body', () => {
  it.each(Object.keys(CODERS))('%s is decoded, in any case, with white space and identity around it', (coding) => {
    const coded = CODERS[coding]?.(TEXT) ?? TEXT;
    expect(decode(coded, [coding])).toBe(TEXT.toString());
    expect(decode(coded, [` ${coding.toUpperCase()} , identity`, ''])).toBe(TEXT.toString());
  });

  it('in deflate without a zlib header is decoded, as servers do', () => {
    expect(decode(deflateRawSync(TEXT), ['deflate'])).toBe(TEXT.toString());
  });

  it('in deflate that reads differently with and without a zlib header is rejected', () => {
    // Stored blocks (RFC 1951 section 3.2.4). Read as zlib, there is one of 65,534 bytes; read as raw deflate, the
    // stream begins two bytes earlier and contains other blocks.
    const stored = Buffer.alloc(65_534, ' ');
    stored.writeUInt16LE(TEXT.length, 0);
    stored.writeUInt16LE(0xffff - TEXT.length, 2);
    TEXT.copy(stored, 4);
    const end = Buffer.from([0x01, 0x00, 0x00, 0xff, 0xff]);
    end.copy(stored, 4 + TEXT.length);
    const head = Buffer.from([0x78, 0x01, 0x00, 0xfe, 0xff, 0x01, 0x00]);
    const both = Buffer.concat([head, stored, end, deflateSync(stored).subarray(-4)]);
    expect(inflateSync(both)).toEqual(stored);
    expect(inflateRawSync(both).subarray(1)).toEqual(TEXT);
    expect(decode(both, ['deflate'], 100_000)).toBe('body.undecodable');
  });

  describe('whose undecoded bytes contain a query is rejected, because some programs ignore codings', () => {
    // One final block with fixed codes (RFC 1951 section 3.2.6), found by a search over names and white space.
    const json = Buffer.from(
      '{  "LkPS":"0",\t"query":"{,FYa:,,,t {,,FEK:  t  { , GCA:t  ,{ ,name,} } }  }#d(Y","x":"!epBW7l"} \n ',
    );

    it('as JSON that is also raw deflate', () => {
      expect(inflateRawSync(json)).toHaveLength(2183);
      expect(decode(json, ['deflate'])).toBe('body.undecodable');
      expect(decode(gzipSync(json), ['deflate, gzip'])).toBe('body.undecodable');
      expect(decode(json, ['identity'])).toBe(json.toString());
    });

    it('as a form in the gzip header, or in a skippable zstd frame', () => {
      const form = Buffer.from('&query={a{b{c}}}&');
      const head = Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]);
      const named = Buffer.concat([head, form, Buffer.of(0), gzipSync(TEXT).subarray(10)]);
      expect(gunzipSync(named)).toEqual(TEXT);
      expect(decode(named, ['gzip'])).toBe('body.undecodable');
      const skipped = Buffer.concat([Buffer.from([0x50, 0x2a, 0x4d, 0x18, form.length, 0, 0, 0]), form]);
      expect(decode(Buffer.concat([skipped, zstdCompressSync(TEXT)]), ['zstd'])).toBe('body.undecodable');
    });

    it('as a multipart body in the gzip header', () => {
      const head = Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]);
      for (const content of ['{"query":"{a{b{c}}}"}', '{a{b{c}}}']) {
        const parts = `\r\n--x\r\nContent-Disposition: form-data; name="operations"\r\n\r\n${content}\r\n--x--`;
        const named = Buffer.concat([head, Buffer.from(`${parts}\0`), gzipSync(TEXT).subarray(10)]);
        expect(decode(named, ['gzip'])).toBe('body.undecodable');
        const body = Buffer.from(parts.replace('x--', 'x--\r\n'));
        expect(decode(gzipSync(body, { level: 0 }), ['gzip'])).toBe(body.toString());
      }
    });

    it('as a document that brotli skips in part', () => {
      // RFC 7932 section 9.2: a window of 2^18, 147,521 literal bytes, 20 skipped bytes, the end.
      const plain = Buffer.alloc(147_521, 'x');
      plain.write('\n{a...F}#');
      const rest = Buffer.from('\nfragment F on T{b}#'.padEnd(20));
      const both = Buffer.concat([Buffer.from('#  \t'), plain, Buffer.of(0xd6, 0x04), rest, Buffer.of(3)]);
      expect(brotliDecompressSync(both)).toEqual(plain);
      expect(decode(both, ['br'], 1 << 20)).toBe('body.undecodable');
    });

    it('as a form that only graphql-php, or the older ASP.NET, reads', () => {
      const head = Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]);
      for (const form of ['&query={a(s:"\xc3""){b{c}}}&', '&query=%u007ba{b{c}}}&']) {
        const name = Buffer.from(`${form}\0`, 'latin1');
        expect(decode(Buffer.concat([head, name, gzipSync(TEXT).subarray(10)]), ['gzip'])).toBe('body.undecodable');
      }
    });

    it('is accepted if the content contains the same query: encoders store bytes unchanged if coding saves nothing', () => {
      const stored = (bytes: Buffer) => gzipSync(bytes, { level: 0 });
      const plain = (bytes: Buffer) =>
        brotliCompressSync(bytes, {
          params: { [constants.BROTLI_PARAM_LGWIN]: 16, [constants.BROTLI_PARAM_QUALITY]: 5 },
        });
      const forms = [
        'a=1&query={a}&b=2',
        'a=1&query={é}&0[query]={b}&1[query]={c}&b=2',
        'a=1&query=%7Ba%7D&query=%7Bb%7D&',
      ];
      for (const form of forms.map((text) => Buffer.from(text))) {
        expect(stored(form).includes(form)).toBe(true);
        expect(decode(stored(form), ['gzip'])).toBe(form.toString());
        expect(decode(zstdCompressSync(form), ['zstd'])).toBe(form.toString());
        expect(decode(gzipSync(stored(form)), ['gzip', 'gzip'])).toBe(form.toString());
      }
      // Some programs treat the header of such a stream as white space.
      expect(plain(TEXT)).toEqual(Buffer.concat([Buffer.of(0, 1, 16), TEXT, Buffer.of(3)]));
      expect(decode(plain(TEXT), ['br'])).toBe(TEXT.toString());
    });

    it('is rejected if it also holds another query, or a longer list, than the content', () => {
      const head = Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]);
      const named = (name: string, content: string) =>
        Buffer.concat([head, Buffer.from(`${name}\0`), gzipSync(content).subarray(10)]);
      expect(decode(named('&query={b}&', 'a=1&query={a}&'), ['gzip'])).toBe('body.undecodable');
      expect(decode(named('&query={a}&', 'a=1&query={a}&'), ['gzip'])).toBe('a=1&query={a}&');
      const [item, other] = ['_json[][query]={a}', '_json[][query]={b}'];
      expect(decode(named(`&${item}&${other}&`, `&query={a}&query={b}&`), ['gzip'])).toBe('body.undecodable');
      expect(decode(named(`&${item}&${item}&`, `&${item}&`), ['gzip'])).toBe('body.undecodable');
    });

    it('is rejected if the budget is too small to search it', () => {
      const form = '&query={a}'.repeat(100);
      const head = Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]);
      const both = Buffer.concat([head, Buffer.from(`${form}\0`), gzipSync(form).subarray(10)]);
      expect(decode(both, ['gzip'])).toBe(form);
      const spent: Budget = {
        check() {
          throw new BudgetExceeded();
        },
      };
      expect(decode(both, ['gzip'], CAP, spent)).toBe('body.undecodable');
      expect(decode(both, ['identity'], CAP, spent)).toBe(both.toString());
    });

    it('is accepted if the text is only a name in the gzip header', () => {
      const head = Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]);
      const named = Buffer.concat([head, Buffer.from('query=a&b;query=;\0'), gzipSync(TEXT).subarray(10)]);
      expect(decode(named, ['gzip'])).toBe(TEXT.toString());
    });
  });

  it('with several codings is decoded from the last applied to the first, on one line or several', () => {
    const twice = brotliCompressSync(gzipSync(TEXT));
    expect(decode(twice, ['gzip, br'])).toBe(TEXT.toString());
    expect(decode(twice, ['gzip', 'br'])).toBe(TEXT.toString());
    expect(decode(twice, ['br, gzip'])).toBe('body.undecodable');
  });

  it.each([
    ['an unknown coding', ['compress']],
    ['one known and one unknown coding', ['gzip, frobnicate']],
    ['a wildcard', ['*']],
    ['more codings than anybody needs', ['gzip,gzip,gzip,gzip,gzip']],
  ])('cannot be read under %s', (_, encodings) => {
    expect(decode(gzipSync(TEXT), encodings)).toBe('body.undecodable');
  });

  it.each(Object.keys(CODERS))('%s that is truncated or mislabelled cannot be read', (coding) => {
    const coded = CODERS[coding]?.(TEXT) ?? TEXT;
    expect(decode(coded.subarray(0, -1), [coding])).toBe('body.undecodable');
    expect(decode(TEXT, [coding])).toBe('body.undecodable');
  });

  it('stays empty if it is empty, whatever coding it names', () => {
    expect(decode(Buffer.alloc(0), ['gzip'])).toBe('');
  });

  it.each([
    ['gzip', gzipSync(Buffer.alloc(64 * 1024 * 1024))],
    ['deflate', deflateSync(Buffer.alloc(64 * 1024 * 1024))],
    ['br', brotliCompressSync(Buffer.alloc(64 * 1024 * 1024), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['zstd', zstdCompressSync(Buffer.alloc(64 * 1024 * 1024))],
  ])('%s of a few kilobytes that would become 64 MiB is too large', (coding, bomb) => {
    expect(bomb.length).toBeLessThan(128 * 1024);
    expect(decode(bomb, [coding])).toBe('body.too_large');
  });

  it('fits if it is exactly as long as the cap, and not if it is longer', () => {
    for (const [coding, code] of Object.entries(CODERS)) {
      expect(decode(code(Buffer.alloc(1000, 'a')), [coding], 1000)).toBe('a'.repeat(1000));
      expect(decode(code(Buffer.alloc(1001, 'a')), [coding], 1000)).toBe('body.too_large');
    }
  });

  it('survives any chain of codings', () => {
    const chain = fc.array(fc.constantFrom(...Object.keys(CODERS)), { maxLength: 4 });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), chain, (bytes, codings) => {
        let coded: Buffer = Buffer.from(bytes);
        for (const coding of codings) coded = CODERS[coding]?.(coded) ?? coded;
        const decoded = decodeContent(coded, [codings.join(', ')], { maxBytes: CAP, budget: UNLIMITED });
        // An empty body is empty under any coding.
        expect(typeof decoded === 'string' ? decoded : decoded.toString('hex')).toBe(
          Buffer.from(bytes).toString('hex'),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('of random bytes never throws and never grows beyond the cap', () => {
    const coding = fc.constantFrom('gzip', 'deflate', 'br', 'zstd', 'gzip,br', 'deflate,deflate', 'x');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), coding, (bytes, encodings) => {
        const decoded = decodeContent(Buffer.from(bytes), [encodings], { maxBytes: 256, budget: UNLIMITED });
        if (typeof decoded !== 'string') expect(decoded.length).toBeLessThanOrEqual(256);
        else expect(['body.too_large', 'body.undecodable']).toContain(decoded);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('bytes after the end of a coded body', () => {
  it.each(Object.keys(CODERS))('%s: are rejected', (coding) => {
    const coded = Buffer.concat([CODERS[coding]?.(TEXT) ?? TEXT, Buffer.from('garbage behind the end')]);
    expect(decode(coded, [coding])).toBe('body.undecodable');
  });

  it('are further frames for zstd (RFC 8878 section 3), which belong to the body and count towards the cap', () => {
    const frames = Buffer.concat([zstdCompressSync(Buffer.from('ab')), zstdCompressSync(Buffer.from('cd'))]);
    expect(decode(frames, ['zstd'])).toBe('abcd');
    expect(decode(frames, ['zstd'], 3)).toBe('body.too_large');
    const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2]);
    expect(decode(Buffer.concat([skippable, frames]), ['zstd'])).toBe('abcd');
  });

  it('are rejected after sixteen zstd frames: each costs a decoder, and a body could contain thousands', () => {
    const [empty, skippable] = [zstdCompressSync(Buffer.alloc(0)), Buffer.from([0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0])];
    const content = zstdCompressSync(TEXT);
    for (const frame of [empty, skippable]) {
      expect(decode(Buffer.concat([...Array<Buffer>(15).fill(frame), content]), ['zstd'])).toBe(TEXT.toString());
      expect(decode(Buffer.concat([...Array<Buffer>(16).fill(frame), content]), ['zstd'])).toBe('body.undecodable');
    }
  });

  it('a zstd frame that asks for a window of 128 MiB is rejected', () => {
    const wide = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x88, 0x01, 0x00, 0x00]);
    expect(decode(wide, ['zstd'])).toBe('body.too_large');
  });

  it('are further members for gzip (RFC 1952 section 2.2), which belong to the body', () => {
    expect(decode(Buffer.concat([gzipSync(Buffer.from('ab')), gzipSync(Buffer.from('cd'))]), ['gzip'])).toBe('abcd');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecentWords } from '../recent-words.ts';
import { RecentTexts } from './recent-texts.ts';

function remember() {
  let made = 0;
  const words = new RecentWords();
  const texts = new RecentTexts((text) => {
    made += 1;
    return { text };
  });
  const get = (value: string | Buffer, at = 0) => {
    const bytes = Buffer.concat([Buffer.alloc(at), Buffer.from(value as string), Buffer.from('behind')]);
    return texts.get(bytes, words.of(bytes), at, bytes.length - 'behind'.length);
  };
  return { get, made: () => made };
}

describe('RecentTexts', () => {
  it('creates the result of a repeated value once, at any offset', () => {
    const { get, made } = remember();
    expect(get('api.example.com', 7)).toBe(get('api.example.com'));
    expect(made()).toBe(1);
  });

  it('tells apart values that differ in one byte, at every position', () => {
    const { get } = remember();
    const value = 'k'.repeat(64);
    get(value);
    for (let at = 0; at < value.length; at++) {
      const other = `${value.slice(0, at)}K${value.slice(at + 1)}`;
      expect(get(other).text).toBe(other);
      get(value);
    }
  });

  it('returns the same as the text itself, also for values that share a slot, are empty or are long', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 80 }),
      // Equal starts and ends give equal slots.
      fc.string({ minLength: 8, maxLength: 40 }).map((middle) => `head${middle.padEnd(40, '.')}the-tail`),
    );
    const { get } = remember();
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 50 }), (values) => {
        expect(values.map((one) => get(one).text)).toEqual(values.map((one) => Buffer.from(one).toString()));
      }),
    );
  });

  it('reads bytes that are not UTF-8 as U+FFFD, the same every time', () => {
    const { get } = remember();
    expect(get(Buffer.from([0x61, 0xff])).text).toBe('a\ufffd');
    expect(get(Buffer.from([0x61, 0xfe])).text).toBe('a\ufffd');
    expect(get(Buffer.from([0x61, 0xff]))).not.toBe(get(Buffer.from([0x61, 0xfe])));
  });

  it('drops old values and never uses more than its slots', () => {
    const { get, made } = remember();
    const first = get('client-0');
    for (let n = 1; n <= 100_000; n++) get(`client-${n}`);
    expect(made()).toBe(100_001);
    expect(get('client-0')).toEqual(first);
  });
});

import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFeed, toNetwork } from './feed-file.ts';

async function* inPieces(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('an entry of a feed', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7/32'],
    ['203.0.113.7/24', '203.0.113.0/24'],
    ['2001:DB8::1', '2001:db8::1/128'],
    ['2001:db8:0:1::9/48', '2001:db8::/48'],
    ['10.0.0.0/8', '10.0.0.0/8'],
  ])('is read: %s is %s', (text, network) => expect(toNetwork(text)).toBe(network));

  it.each([
    '0.0.0.0/0',
    '1.2.3.4/7',
    '::/0',
    '2000::/3',
    '1.2.3.4/33',
    '1.2.3.4/-1',
    '1.2.3.4/',
    '1.2.3',
    '0x7f.1.1.1',
    '010.1.1.1',
    '1.2.3.4/24/1',
    'fe80::1%eth0',
    'example.com',
    '1.2.3.4 5.6.7.8',
    '::ffff:1.2.3.4/129',
    '<script>',
  ])('is refused: %s', (text) => expect(toNetwork(text)).toBeUndefined());
});

it('a feed file is read in the same way in any pieces', async () => {
  const text = '# a feed\r\n203.0.113.7 ; seen twice\n203.0.113.7\n\n  2001:db8::/32\r\nnonsense\n198.51.100.0/24';
  const expected = {
    networks: new Set(['203.0.113.7/32', '2001:db8::/32', '198.51.100.0/24']),
    skipped: 1,
    skippedLines: [6],
  };
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 120 }), async (size) => {
      expect(await readFeed(inPieces(text, size))).toMatchObject(expected);
    }),
    { numRuns: 30 },
  );
});

it('a line that never ends is not kept, and counted once', async () => {
  const read = await readFeed(inPieces(`${'1'.repeat(300_000)}\n203.0.113.7\n`, 4096));
  expect(read).toMatchObject({ networks: new Set(['203.0.113.7/32']), skipped: 1, skippedLines: [1] });
});

it('a feed has a maximum of entries', { timeout: 120_000 }, async () => {
  const lines = Array.from({ length: 250_001 }, (_, n) => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`);
  await expect(readFeed(inPieces(lines.join('\n'), 1 << 20))).rejects.toMatchObject({ code: 'threat_feed.too_many' });
});

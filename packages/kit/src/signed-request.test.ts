import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createId, createSecret } from './ids.ts';
import { isSameSecret } from './same-secret.ts';
import {
  isSignatureInTime,
  isSignatureOf,
  parseSignature,
  type RequestSignature,
  SIGNATURE_WINDOW_S,
  signRequest,
} from './signed-request.ts';

const KEY = { id: createId(), secret: createSecret() };
const NOW = new Date('2026-03-01T12:00:00.700Z');
const PARTS = { method: 'GET', target: '/dns/snapshot?zone=www.example', body: Buffer.alloc(0) };

function read(header: string): RequestSignature {
  const signature = parseSignature(header);
  if (!signature) throw new Error(`no signature: ${header}`);
  return signature;
}

describe('a signed request', () => {
  it('is accepted with the secret for its method, its target including the query, and its body', () => {
    const signature = read(signRequest(PARTS, KEY, NOW));
    expect(signature.keyId).toBe(KEY.id);
    expect(isSignatureOf(signature, PARTS, KEY.secret)).toBe(true);
    const changed = [
      { ...PARTS, method: 'DELETE' },
      { ...PARTS, target: '/dns/snapshot?zone=www.example&zone=other' },
      { ...PARTS, target: '/dns/changes?zone=www.example' },
      { ...PARTS, body: Buffer.from('{}') },
    ];
    for (const parts of changed) expect(isSignatureOf(signature, parts, KEY.secret), parts.target).toBe(false);
    expect(isSignatureOf(signature, PARTS, createSecret())).toBe(false);
  });

  it('is rejected with another time, another key, or a single flipped bit', () => {
    const signature = read(signRequest(PARTS, KEY, NOW));
    expect(isSignatureOf({ ...signature, time: signature.time + 1 }, PARTS, KEY.secret)).toBe(false);
    expect(isSignatureOf({ ...signature, keyId: createId() }, PARTS, KEY.secret)).toBe(false);
    for (let bit = 0; bit < signature.mac.length * 8; bit += 1) {
      const mac = Buffer.from(signature.mac);
      mac[bit >> 3] = (mac[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(isSignatureOf({ ...signature, mac }, PARTS, KEY.secret)).toBe(false);
    }
  });

  it('cannot pass for another request whose parts are split elsewhere', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('G', '\n', '/', 'a', '0') }), { minLength: 4, maxLength: 4 }),
        ([method = '', target = '', otherMethod = '', otherTarget = '']) => {
          // HTTP does not allow line breaks in these parts.
          fc.pre(![method, target, otherMethod, otherTarget].some((text) => text.includes('\n')));
          fc.pre(method !== otherMethod || target !== otherTarget);
          const signature = read(signRequest({ ...PARTS, method, target }, KEY, NOW));
          return !isSignatureOf(signature, { ...PARTS, method: otherMethod, target: otherTarget }, KEY.secret);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is valid for exactly the window before and after its time', () => {
    const signature = read(signRequest(PARTS, KEY, NOW));
    const at = (seconds: number) => isSignatureInTime(signature, new Date((signature.time + seconds) * 1000));
    expect([-SIGNATURE_WINDOW_S, 0, SIGNATURE_WINDOW_S].map(at)).toEqual([true, true, true]);
    expect([-SIGNATURE_WINDOW_S - 1, SIGNATURE_WINDOW_S + 1].map(at)).toEqual([false, false]);
  });

  it('is HMAC-SHA256 over the lines that the guide lists', () => {
    const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
    const lines = ['FLOTILLA-HMAC-SHA256', KEY.id, '1772366400', 'GET', PARTS.target, empty];
    const mac = createHmac('sha256', KEY.secret).update(lines.join('\n')).digest('hex');
    expect(signRequest(PARTS, KEY, NOW)).toBe(`FLOTILLA-HMAC-SHA256 key=${KEY.id}, time=1772366400, signature=${mac}`);
  });

  it.each([
    undefined,
    '',
    'Bearer x',
    signRequest(PARTS, KEY, NOW).toUpperCase(),
    `${signRequest(PARTS, KEY, NOW)}0`,
    ` ${signRequest(PARTS, KEY, NOW)}`,
    signRequest(PARTS, KEY, NOW).replace('time=', 'time=0'),
    signRequest(PARTS, KEY, NOW).replace('time=1', 'time=-1'),
    signRequest(PARTS, KEY, NOW).replace(', time', ',time'),
    `${signRequest(PARTS, KEY, NOW)}\n`,
  ])('is parsed in one spelling only, not as %j', (header) => {
    expect(parseSignature(header)).toBeUndefined();
  });
});

it('isSameSecret compares all bytes and the length', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ maxLength: 40 }), (a, b) => {
      expect(isSameSecret(a, b)).toBe(Buffer.compare(a, b) === 0);
      expect(isSameSecret(a, Uint8Array.from(a))).toBe(true);
    }),
    { numRuns: 200 },
  );
  expect([isSameSecret('ä', 'ä'), isSameSecret('ä', 'a'), isSameSecret('', '')]).toEqual([true, false, true]);
});

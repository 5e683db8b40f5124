import { sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createTestEngine, INVALID, jwkOf, jwksOf, KEYS, makeToken, pemOf, RS256, SET, signText } from './testing.ts';

describe('the signature of an algorithm', () => {
  const text = makeToken({ algorithm: 'ES256' }).split('.').slice(0, 2).join('.');
  const { ask } = createTestEngine('algorithms: [ES256], public_key_file: files/key', pemOf('p256'));
  const raw = signText(text, 'ES256', KEYS.p256.privateKey);

  it.each<[string, Buffer]>([
    ['in DER', sign('sha256', Buffer.from(text), KEYS.p256.privateKey)],
    ['of zeros', Buffer.alloc(64)],
    ['of ones', Buffer.alloc(64, 0xff)],
    ['of r alone', raw.subarray(0, 32)],
    ['with a leading zero', Buffer.concat([Buffer.of(0), raw])],
    [
      'with both halves a byte longer',
      Buffer.concat([Buffer.of(0), raw.subarray(0, 32), Buffer.of(0), raw.subarray(32)]),
    ],
    ['of one byte', Buffer.of(1)],
    ['of 10,000 bytes', Buffer.alloc(10_000, 1)],
  ])('of ES256 %s', (_, signature) => expect(ask(`${text}.${signature.toString('base64url')}`)).toBe(INVALID));

  it('has the length of the key for RS256', () => {
    const [header, claims, signature = ''] = makeToken().split('.');
    const bytes = Buffer.from(signature, 'base64url');
    for (const wrong of [
      Buffer.concat([Buffer.of(0), bytes]),
      bytes.subarray(1),
      Buffer.alloc(256),
      Buffer.alloc(256, 255),
    ]) {
      expect(createTestEngine(RS256).ask(`${header}.${claims}.${wrong.toString('base64url')}`)).toBe(INVALID);
    }
  });

  it('has salt of the hash’s length for PS256', () => {
    const engine = createTestEngine('algorithms: [PS256], public_key_file: files/key');
    const signed = makeToken({ algorithm: 'PS256' }).split('.').slice(0, 2).join('.');
    const salted = (saltLength: number) =>
      sign('sha256', Buffer.from(signed), { key: KEYS.rsa.privateKey, padding: 6, saltLength }).toString('base64url');
    expect(engine.ask(`${signed}.${salted(32)}`)).toBe('allow alice');
    for (const length of [0, 20, 64]) expect(engine.ask(`${signed}.${salted(length)}`)).toBe(INVALID);
  });
});

describe('the key of a set', () => {
  const keys = jwksOf(jwkOf('rsa', { kid: 'r1' }), jwkOf('otherRsa', { kid: 'r2' }), jwkOf('p256', { kid: 'e' }));
  const { ask } = createTestEngine(SET, keys);

  it.each<[string, object, 'rsa' | 'otherRsa' | 'p256', string]>([
    ['is the one that the token names', { alg: 'RS256', kid: 'r1' }, 'rsa', 'allow alice'],
    ['is no other one', { alg: 'RS256', kid: 'r2' }, 'rsa', INVALID],
    ['is refused if its name is unknown', { alg: 'RS256', kid: 'r3' }, 'rsa', INVALID],
    ['is refused if its name is empty', { alg: 'RS256', kid: '' }, 'rsa', INVALID],
    ['has its name in one spelling', { alg: 'RS256', kid: 'R1' }, 'rsa', INVALID],
    ['is refused if the token names no key and two fit', { alg: 'RS256' }, 'rsa', INVALID],
    ['is the only one that fits if the token names no key', { alg: 'ES256' }, 'p256', 'allow alice'],
    ['is bound to its own algorithms', { alg: 'ES256', kid: 'r1' }, 'p256', INVALID],
  ])('%s', (_, header, key, expected) => {
    const algorithm = key === 'p256' ? 'ES256' : 'RS256';
    expect(ask(makeToken({ algorithm, header, key: KEYS[key].privateKey }))).toBe(expected);
  });

  it("does not match a token's key name if it has none", () => {
    const unnamed = createTestEngine('algorithms: [RS256], jwks_file: files/key', jwksOf(jwkOf('rsa')));
    expect(unnamed.ask(makeToken({ header: { alg: 'RS256', kid: 'x' } }))).toBe(INVALID);
    expect(unnamed.ask(makeToken())).toBe('allow alice');
  });

  it('with its own algorithm verifies no other', () => {
    const bound = jwksOf(jwkOf('rsa', { kid: 'r', alg: 'PS256' }), jwkOf('otherRsa', { kid: 'o' }), jwkOf('p256'));
    const engine = createTestEngine(SET, bound);
    expect(engine.ask(makeToken({ algorithm: 'PS256', header: { alg: 'PS256', kid: 'r' } }))).toBe('allow alice');
    expect(engine.ask(makeToken({ algorithm: 'RS256', header: { alg: 'RS256', kid: 'r' } }))).toBe(INVALID);
  });

  it('has no name in a file with one key, so it matches any name in a token', () => {
    expect(createTestEngine(RS256).ask(makeToken({ header: { alg: 'RS256', kid: 'any' } }))).toBe('allow alice');
  });
});

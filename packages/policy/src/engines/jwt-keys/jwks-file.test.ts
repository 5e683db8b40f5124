import { describe, expect, it } from 'vitest';
import { bitcoin, ed448, jwkOf, jwksOf, optionsOf, p256, problemsOf, rsa, SET, weakRsa } from './testing.ts';

describe('a key set file', () => {
  const rsaKey = jwkOf(rsa.publicKey, { kid: 'r' });
  const ecKey = jwkOf(p256.publicKey, { kid: 'e' });

  it('contains keys by name, each for the listed algorithms that it fits', () => {
    const options = optionsOf('algorithms: [PS256, ES256, RS256]\njwks_file: files/key', jwksOf(rsaKey, ecKey));
    expect(options.keysAreNamed).toBe(true);
    expect(options.keys.map(({ kid, algorithms }) => [kid, algorithms])).toEqual([
      ['r', ['PS256', 'RS256']],
      ['e', ['ES256']],
    ]);
  });

  it.each<[string, object]>([
    ['for encryption', jwkOf(rsa.publicKey, { kid: 'x', use: 'enc' })],
    ['for signing alone', jwkOf(rsa.publicKey, { kid: 'x', key_ops: ['sign'] })],
    ['with operations that are no list', jwkOf(rsa.publicKey, { kid: 'x', key_ops: 'verify' })],
    ['for an algorithm that is not listed', jwkOf(rsa.publicKey, { kid: 'x', alg: 'RS512' })],
    ['for an algorithm that its type does not have', jwkOf(p256.publicKey, { kid: 'x', alg: 'RS256' })],
    ['of an unknown type', { kty: 'AKP', kid: 'x', alg: 'ML-DSA-44', pub: 'AA' }],
    ['of an unknown curve', jwkOf(bitcoin.publicKey, { kid: 'x' })],
    ['of Ed448', jwkOf(ed448.publicKey, { kid: 'x' })],
    ['of RSA, too short', jwkOf(weakRsa.publicKey, { kid: 'x' })],
    ['with a member missing', { kty: 'RSA', kid: 'x', e: 'AQAB' }],
    ['with a point that is not on its curve', { ...ecKey, kid: 'x', y: ecKey.x }],
    ['with padding in a number', jwkOf(rsa.publicKey, { kid: 'x', e: 'AQAB=' })],
  ])('may contain a key %s, which is skipped', (_, other) => {
    expect(optionsOf(SET, jwksOf(other, rsaKey, ecKey)).keys.map(({ kid }) => kid)).toEqual(['r', 'e']);
    expect(problemsOf(SET, jwksOf(other))).toEqual(['11 .jwks_file jwt.key_file']);
  });

  it('accepts keys that state their use', () => {
    const keys = [
      jwkOf(rsa.publicKey, { kid: 'a', use: 'sig', alg: 'RS256' }),
      jwkOf(p256.publicKey, { kid: 'b', key_ops: ['verify'] }),
    ];
    expect(optionsOf(SET, jwksOf(...keys)).keys.map(({ algorithms }) => algorithms)).toEqual([['RS256'], ['ES256']]);
  });

  it('must contain a key for every listed algorithm', () => {
    expect(problemsOf(SET, jwksOf(rsaKey))).toEqual(['10 .algorithms[1] jwt.algorithm_key']);
  });

  it.each<[string, string, string]>([
    ['no JSON', '{', 'jwt.key_file'],
    ['one key', JSON.stringify(rsaKey), 'jwt.key_file'],
    ['a list', JSON.stringify([rsaKey]), 'jwt.key_file'],
    ['no keys', jwksOf(), 'jwt.key_file'],
    ['a key without a type', jwksOf({ kid: 'x' }), 'jwt.key_file'],
    ['a name that is a number', jwksOf({ ...rsaKey, kid: 7 }), 'jwt.key_file'],
    ['a name that is null', jwksOf({ ...rsaKey, kid: null }), 'jwt.key_file'],
    ['two keys of one name', jwksOf(rsaKey, ecKey, jwkOf(p256.publicKey, { kid: 'r' })), 'jwt.key_file'],
    ['a member twice', jwksOf(rsaKey, ecKey).replace('"kid":"r"', '"kid":"r","kid":"q"'), 'jwt.key_file'],
    ['its list twice', `{"keys":[],"keys":[${JSON.stringify(rsaKey)}]}`, 'jwt.key_file'],
    ['a private key', jwksOf(rsaKey, ecKey, jwkOf(p256.privateKey, { kid: 'p' })), 'jwt.private_key'],
    ['a private key for encryption', jwksOf(rsaKey, ecKey, jwkOf(rsa.privateKey, { use: 'enc' })), 'jwt.private_key'],
    ['a secret', jwksOf(rsaKey, ecKey, { kty: 'oct', k: 'c2VjcmV0' }), 'jwt.private_key'],
    ['257 keys', jwksOf(...Array.from({ length: 257 }, (_, n) => ({ ...rsaKey, kid: `${n}` }))), 'jwt.key_file'],
  ])('with %s is refused', (_, content, rule) => {
    expect(problemsOf(SET, content)).toEqual([`11 .jwks_file ${rule}`]);
  });

  it('ignores a duplicate name of a skipped key', () => {
    const other = jwkOf(rsa.publicKey, { kid: 'r', use: 'enc' });
    expect(optionsOf(SET, jwksOf(other, rsaKey, ecKey)).keys.length).toBe(2);
  });
});

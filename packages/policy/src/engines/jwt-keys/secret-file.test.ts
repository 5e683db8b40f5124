import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CERTIFICATE, type Content, HS, jwkOf, jwksOf, optionsOf, pemOf, problemsOf, rsa, SECRET } from './testing.ts';

describe('a secret file', () => {
  const secretOf = (content: Content, fields = HS) =>
    Buffer.from(optionsOf(fields, content).keys[0]?.material.base64 ?? '', 'base64');

  it('is its bytes, without one line end after printable text', () => {
    expect(secretOf(SECRET).toString()).toBe(SECRET);
    expect(secretOf(`${SECRET}\n`).toString()).toBe(SECRET);
    expect(secretOf(`${SECRET}\r\n`).toString()).toBe(SECRET);
    expect(secretOf(`${SECRET}\n\n`).toString()).toBe(`${SECRET}\n\n`);
    expect(secretOf(` ${SECRET} \n`).toString()).toBe(` ${SECRET} `);
    const random = Buffer.concat([createHmac('sha256', 'x').digest(), Buffer.from([0xff, 0x0a])]);
    expect(secretOf(random)).toEqual(random);
  });

  it.each([
    ['HS256', 32],
    ['HS384', 48],
    ['HS512', 64],
  ])('is for %s at least %i bytes long', (algorithm, bytes) => {
    const fields = `algorithms: [${algorithm}]\nhmac_secret_file: files/key`;
    expect(problemsOf(fields, 'x'.repeat(bytes))).toEqual([]);
    expect(problemsOf(fields, `${'x'.repeat(bytes - 1)}\n`)).toEqual(['11 .hmac_secret_file jwt.weak_key']);
  });

  it('must be long enough for the longest hash in the list', () => {
    const fields = 'algorithms: [HS256, HS512]\nhmac_secret_file: files/key';
    expect(problemsOf(fields, randomBytes(63))).toEqual(['11 .hmac_secret_file jwt.weak_key']);
    expect(optionsOf(fields, randomBytes(64)).keys[0]?.algorithms).toEqual(['HS256', 'HS512']);
  });

  it.each<[string, string]>([
    ['a public key', pemOf(rsa.publicKey)],
    ['a certificate', CERTIFICATE],
    ['a key set', jwksOf(jwkOf(rsa.publicKey))],
    ['a JWK', JSON.stringify(jwkOf(rsa.publicKey))],
  ])('is rejected if it contains %s, which is not a secret', (_, content) => {
    expect(problemsOf(HS, content)).toEqual(['11 .hmac_secret_file jwt.key_file']);
  });
});

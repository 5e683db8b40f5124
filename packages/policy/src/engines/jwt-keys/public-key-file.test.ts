import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  bitcoin,
  CERTIFICATE,
  CERTIFIED_KEY,
  type Content,
  ed448,
  ed25519,
  jwkOf,
  jwksOf,
  load,
  optionsOf,
  p256,
  p384,
  pemOf,
  problemsOf,
  pss,
  RS,
  rsa,
  weakRsa,
} from './testing.ts';

describe('a public key file', () => {
  it.each<[string, string, KeyObject]>([
    ['RS256', 'RSA', rsa.publicKey],
    ['PS384', 'RSA', rsa.publicKey],
    ['PS256', 'RSASSA-PSS', pss.publicKey],
    ['ES256', 'P-256', p256.publicKey],
    ['ES384', 'P-384', p384.publicKey],
    ['ES512', 'P-521', generateKeyPairSync('ec', { namedCurve: 'P-521' }).publicKey],
    ['EdDSA', 'Ed25519', ed25519.publicKey],
  ])('for %s holds a key of type %s', (algorithm, _, key) => {
    const options = optionsOf(`algorithms: [${algorithm}]\npublic_key_file: files/key`, pemOf(key));
    expect(options.keys).toEqual([
      { kid: null, algorithms: [algorithm], material: { form: 'spki', base64: expect.any(String) } },
    ]);
  });

  it.each<[string, KeyObject]>([
    ['RS256', p256.publicKey],
    ['RS256', pss.publicKey],
    ['PS512', pss.publicKey],
    ['ES256', rsa.publicKey],
    ['ES256', p384.publicKey],
    ['ES384', p256.publicKey],
    ['EdDSA', p256.publicKey],
  ])('is rejected if %s is listed and its key has another type', (algorithm, key) => {
    const fields = `algorithms: [${algorithm}]\npublic_key_file: files/key`;
    expect(problemsOf(fields, pemOf(key))).toEqual(['10 .algorithms[0] jwt.algorithm_key']);
  });

  it('must fit every listed algorithm', () => {
    const fields = 'algorithms: [RS256, ES256, PS512, EdDSA]\npublic_key_file: files/key';
    expect(problemsOf(fields, pemOf(rsa.publicKey))).toEqual([
      '10 .algorithms[1] jwt.algorithm_key',
      '10 .algorithms[3] jwt.algorithm_key',
    ]);
  });

  const pkcs8 = (key: KeyObject) => key.export({ format: 'pem', type: 'pkcs8' }).toString();

  it.each<[string, Content, string]>([
    ['a private key', pkcs8(rsa.privateKey), 'jwt.private_key'],
    ['an old-style private key', rsa.privateKey.export({ format: 'pem', type: 'pkcs1' }), 'jwt.private_key'],
    ['a private key behind a public one', pemOf(rsa.publicKey) + pkcs8(rsa.privateKey), 'jwt.private_key'],
    [
      'an encrypted private key',
      rsa.privateKey.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' }),
      'jwt.private_key',
    ],
    ['a bare RSA key', rsa.publicKey.export({ format: 'pem', type: 'pkcs1' }), 'jwt.key_file'],
    ['DER', rsa.publicKey.export({ format: 'der', type: 'spki' }), 'jwt.key_file'],
    ['a JWK', JSON.stringify(jwkOf(rsa.publicKey)), 'jwt.key_file'],
    ['two keys', pemOf(rsa.publicKey) + pemOf(p256.publicKey), 'jwt.key_file'],
    ['nothing', '', 'jwt.key_file'],
    ['text', 'hello', 'jwt.key_file'],
    ['a damaged key', pemOf(rsa.publicKey).replace('MIIB', 'MIIC'), 'jwt.key_file'],
    ['a key cut short', pemOf(rsa.publicKey).replace(/\n.{64}\n/, '\n'), 'jwt.key_file'],
    ['an RSA key of 1024 bits', pemOf(weakRsa.publicKey), 'jwt.weak_key'],
    ['a key on another curve', pemOf(bitcoin.publicKey), 'jwt.key_file'],
    ['an Ed448 key', pemOf(ed448.publicKey), 'jwt.key_file'],
    ['a key that signs nothing', pemOf(generateKeyPairSync('x25519').publicKey), 'jwt.key_file'],
    ['more than a mebibyte', pemOf(rsa.publicKey) + ' '.repeat(1024 * 1024), 'jwt.key_file'],
  ])('with %s is refused, and nothing of it is quoted', (_, content, rule) => {
    expect(problemsOf(RS, content)).toEqual([`11 .public_key_file ${rule}`]);
    const loaded = load(RS, content);
    const message = loaded.ok ? '' : JSON.stringify(loaded.error);
    const lines = Buffer.from(content).toString('latin1').split('\n');
    for (const line of lines.filter((each) => each.length > 8)) expect(message).not.toContain(line);
  });

  it('with a public exponent of 1, with which anybody can sign, is rejected', () => {
    const { n } = rsa.publicKey.export({ format: 'jwk' });
    const jwks = jwksOf({ kty: 'RSA', n, e: 'AQ', kid: 'a' });
    expect(problemsOf('algorithms: [RS256]\njwks_file: files/key', jwks)).toEqual(['11 .jwks_file jwt.key_file']);
  });

  it('may be a certificate with text around it', () => {
    const fields = 'algorithms: [ES256]\npublic_key_file: files/key';
    const expected = optionsOf(fields, CERTIFIED_KEY).keys;
    expect(optionsOf(fields, `subject=issuer.example.com\n${CERTIFICATE}`).keys).toEqual(expected);
    expect(optionsOf(fields, CERTIFICATE.replaceAll('\n', '\r\n')).keys).toEqual(expected);
  });
});

import { createHmac, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { referencedFiles } from '../bundle.ts';
import { loadPolicyFiles, parsePolicyDocument } from '../load.ts';
import type { JwtOptions } from './jwt.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const weakRsa = generateKeyPairSync('rsa', { modulusLength: 1024 });
const pss = generateKeyPairSync('rsa-pss', {
  modulusLength: 2048,
  hashAlgorithm: 'sha256',
  mgf1HashAlgorithm: 'sha256',
});
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const bitcoin = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
const ed25519 = generateKeyPairSync('ed25519');
const ed448 = generateKeyPairSync('ed448');

/** Of a P-256 key; long expired, which does not matter. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBkDCCATWgAwIBAgIUFRBQFxNYOtBnn5urTMPFcn3z2LYwCgYIKoZIzj0EAwIw
HTEbMBkGA1UEAwwSaXNzdWVyLmV4YW1wbGUuY29tMB4XDTI2MTEyMTEwMDMwOVoX
DTI2MTEyMjEwMDMwOVowHTEbMBkGA1UEAwwSaXNzdWVyLmV4YW1wbGUuY29tMFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAErXCC5M7o7SR5mK+wanME9QsvN3Dtqhpo
MLrmQhms+juF8NxlJYDWbbG7CHJYks4g69SOLEiiiuQLVJlByP8ly6NTMFEwHQYD
VR0OBBYEFNXPkFoRlPVf+2fcINajz1GGfmV8MB8GA1UdIwQYMBaAFNXPkFoRlPVf
+2fcINajz1GGfmV8MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIh
ANLRxgIcem6GhmDA9Soi6GP29yyl0Sw4Ul71bM7kOixAAiEAhGQaWech4l8dQyxM
odFD5LErLA8oj4f3bNTSf/5FPT8=
-----END CERTIFICATE-----
`;
const CERTIFIED_KEY = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAErXCC5M7o7SR5mK+wanME9QsvN3Dt
qhpoMLrmQhms+juF8NxlJYDWbbG7CHJYks4g69SOLEiiiuQLVJlByP8lyw==
-----END PUBLIC KEY-----
`;

const pemOf = (key: KeyObject) => key.export({ format: 'pem', type: 'spki' }).toString();
const jwkOf = (key: KeyObject, extra: object = {}) => ({ ...key.export({ format: 'jwk' }), ...extra });
const jwksOf = (...keys: object[]) => JSON.stringify({ keys });

type Content = string | Uint8Array;

function load(fields: string, content?: Content, path = 'files/key') {
  const lines = fields.trim().split('\n');
  const text = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: demo }
spec:
  domains:
    - hosts: [api.example.com]
      policy:
        engines:
          jwt:
${lines.map((line) => `            ${line.trim()}`).join('\n')}
`;
  return loadPolicyFiles([
    { path: 'policy.yaml', content: text },
    ...(content === undefined ? [] : [{ path, content }]),
  ]);
}

function problemsOf(fields: string, content?: Content, path?: string): string[] {
  const loaded = load(fields, content, path);
  return loaded.ok ? [] : loaded.error.map(({ line, field, rule }) => `${line} ${field.split('.jwt')[1]} ${rule}`);
}

function optionsOf(fields: string, content: Content): JwtOptions {
  const loaded = load(fields, content);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  const block = loaded.value.domains[0]?.policy.engines[0];
  if (block?.engine !== 'jwt') throw new Error('no jwt block');
  return block.options;
}

const RS = 'algorithms: [RS256]\npublic_key_file: files/key';
const HS = 'algorithms: [HS256]\nhmac_secret_file: files/key';
const SET = 'algorithms: [RS256, ES256]\njwks_file: files/key';
const SECRET = 'a secret of thirty-two characters';

describe('fields of jwt', () => {
  it.each<[string, string, string[]]>([
    ['no algorithms', 'public_key_file: files/key', ['9 .algorithms schema.required']],
    ['an empty list of them', 'algorithms: []\npublic_key_file: files/key', ['10 .algorithms schema.too_small']],
    ...['none', 'None', 'NONE', 'HS128', 'rs256', 'ES256K', 'Ed25519', 'RSA-OAEP', ''].map(
      (name): [string, string, string[]] => [
        `the algorithm "${name}"`,
        `algorithms: [RS256, "${name}"]\npublic_key_file: files/key`,
        ['10 .algorithms[1] schema.value'],
      ],
    ),
    [
      'an algorithm listed twice',
      'algorithms: [RS256, RS512, RS256]\npublic_key_file: files/key',
      ['10 .algorithms[2] jwt.duplicate_algorithm'],
    ],
    ['no key file', 'algorithms: [RS256]', ['9  jwt.no_key']],
    ['two key files', `${RS}\njwks_file: files/key`, ['12 .jwks_file jwt.two_keys']],
    [
      'three key files',
      `${RS}\njwks_file: files/key\nhmac_secret_file: files/key`,
      ['12 .jwks_file jwt.two_keys', '13 .hmac_secret_file jwt.two_keys'],
    ],
    [
      'a secret beside algorithms of public keys',
      'algorithms: [HS256, RS256, EdDSA]\nhmac_secret_file: files/key',
      ['10 .algorithms[1] jwt.algorithm_key', '10 .algorithms[2] jwt.algorithm_key'],
    ],
    [
      'a public key beside an HS algorithm',
      'algorithms: [RS256, HS256]\npublic_key_file: files/key',
      ['10 .algorithms[1] jwt.algorithm_key'],
    ],
    [
      'a set beside an HS algorithm',
      'algorithms: [HS512]\njwks_file: files/key',
      ['10 .algorithms[0] jwt.algorithm_key'],
    ],
    ['a leeway over five minutes', `${RS}\nleeway: 5m0.001s`, ['12 .leeway jwt.leeway']],
    ['a leeway without a unit', `${RS}\nleeway: "30"`, ['12 .leeway schema.value']],
    ['a number as leeway', `${RS}\nleeway: 30`, ['12 .leeway schema.type']],
    ['a negative leeway', `${RS}\nleeway: -5s`, ['12 .leeway schema.value']],
    ['an empty issuer', `${RS}\nissuer: ""`, ['12 .issuer schema.too_small']],
    ['a name that is no header', `${RS}\nheader_name: "x y"`, ['12 .header_name jwt.header_name']],
    ['an empty required claim', `${RS}\nrequired_claims: [sub, ""]`, ['12 .required_claims[1] schema.too_small']],
    ['an unknown field', `${RS}\nsecret: x`, ['12 .secret schema.unknown_field']],
    ['the subject in a header of the proxy', `${RS}\nsubject_header: Host`, ['12 .subject_header jwt.subject_header']],
    [
      'the subject in the header of the token',
      `${RS}\nsubject_header: authorization`,
      ['12 .subject_header jwt.subject_header'],
    ],
    [
      'a framing header to be taken away',
      `${RS}\nheader_name: Content-Type\nstrip_credential: true`,
      ['12 .header_name jwt.strip_credential'],
    ],
  ])('%s is refused at its place', (_, fields, problems) => {
    expect(problemsOf(fields, fields.includes('hmac') ? SECRET : pemOf(rsa.publicKey))).toEqual(problems);
  });

  it('have their defaults and their normal form', () => {
    expect(optionsOf(RS, pemOf(rsa.publicKey))).toMatchObject({
      issuer: '',
      audience: '',
      leewayMs: 0,
      header: 'authorization',
      requiredClaims: [],
      keysAreNamed: false,
      stripCredential: false,
      subjectHeader: '',
    });
    const written = `${RS}\nissuer: i\naudience: a\nleeway: 1m30s\nheader_name: X-Token\nrequired_claims: [sub]\nsubject_header: X-User`;
    expect(optionsOf(written, pemOf(rsa.publicKey))).toMatchObject({
      issuer: 'i',
      audience: 'a',
      leewayMs: 90_000,
      header: 'x-token',
      requiredClaims: ['sub'],
      subjectHeader: 'x-user',
    });
  });
});

describe('the path of a key file', () => {
  it.each([
    '/etc/passwd',
    '../key',
    'files/../../key',
    'files/./key',
    'files//key',
    './files/key',
    'files\\key',
    'C:/key',
    'files/',
    'jwks.json',
    'missing/key',
  ])('%s is refused', (path) => {
    const fields = `algorithms: [RS256]\npublic_key_file: ${JSON.stringify(path)}`;
    expect(problemsOf(fields, pemOf(rsa.publicKey))).toEqual(['11 .public_key_file jwt.file']);
  });

  it('is refused where a file of that path is in the bundle by accident', () => {
    const fields = 'algorithms: [RS256]\npublic_key_file: ../key';
    expect(problemsOf(fields, pemOf(rsa.publicKey), '../key')).toEqual(['11 .public_key_file jwt.file']);
  });

  it('is judged without the file where a document is checked alone', () => {
    const text = (path: string) => `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: demo }
spec: { domains: [{ hosts: [a.example.com], policy: { engines: { jwt: { algorithms: [RS256], jwks_file: ${path} } } } }] }
`;
    expect(parsePolicyDocument({ path: 'policy.yaml', content: text('files/key') }).ok).toBe(true);
    expect(parsePolicyDocument({ path: 'policy.yaml', content: text('../key') }).ok).toBe(false);
  });

  it('is found in all three fields', () => {
    const engines = (field: string) => `{ policy: { engines: { jwt: { ${field}: files/${field} } } } }`;
    const fields = ['public_key_file', 'hmac_secret_file', 'jwks_file'];
    const text = `spec: { domains: [${fields.map(engines).join(', ')}] }`;
    expect(referencedFiles(text)).toEqual(fields.map((field) => `files/${field}`).toSorted());
  });
});

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
  ])('is refused where %s is listed and its key is of another type', (algorithm, key) => {
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
    const told = loaded.ok ? '' : JSON.stringify(loaded.error);
    const lines = Buffer.from(content).toString('latin1').split('\n');
    for (const line of lines.filter((each) => each.length > 8)) expect(told).not.toContain(line);
  });

  it('with a public exponent of 1, under which everybody can sign, is refused', () => {
    const { n } = rsa.publicKey.export({ format: 'jwk' });
    const jwks = jwksOf({ kty: 'RSA', n, e: 'AQ', kid: 'a' });
    expect(problemsOf('algorithms: [RS256]\njwks_file: files/key', jwks)).toEqual(['11 .jwks_file jwt.key_file']);
  });

  it('may be a certificate, with text around it', () => {
    const fields = 'algorithms: [ES256]\npublic_key_file: files/key';
    const expected = optionsOf(fields, CERTIFIED_KEY).keys;
    expect(optionsOf(fields, `subject=issuer.example.com\n${CERTIFICATE}`).keys).toEqual(expected);
    expect(optionsOf(fields, CERTIFICATE.replaceAll('\n', '\r\n')).keys).toEqual(expected);
  });
});

describe('a secret file', () => {
  const secretOf = (content: Content, fields = HS) =>
    Buffer.from(optionsOf(fields, content).keys[0]?.material.base64 ?? '', 'base64');

  it('is its bytes, without one line end behind printable text', () => {
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

  it('is long enough for the longest hash of the list', () => {
    const fields = 'algorithms: [HS256, HS512]\nhmac_secret_file: files/key';
    expect(problemsOf(fields, randomBytes(63))).toEqual(['11 .hmac_secret_file jwt.weak_key']);
    expect(optionsOf(fields, randomBytes(64)).keys[0]?.algorithms).toEqual(['HS256', 'HS512']);
  });

  it.each<[string, string]>([
    ['a public key', pemOf(rsa.publicKey)],
    ['a certificate', CERTIFICATE],
    ['a key set', jwksOf(jwkOf(rsa.publicKey))],
    ['a JWK', JSON.stringify(jwkOf(rsa.publicKey))],
  ])('that holds %s, which is no secret, is refused', (_, content) => {
    expect(problemsOf(HS, content)).toEqual(['11 .hmac_secret_file jwt.key_file']);
  });
});

describe('a key set file', () => {
  const rsaKey = jwkOf(rsa.publicKey, { kid: 'r' });
  const ecKey = jwkOf(p256.publicKey, { kid: 'e' });

  it('holds keys by name, each for the listed algorithms that it fits', () => {
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
  ])('may hold a key %s, which is passed over', (_, other) => {
    expect(optionsOf(SET, jwksOf(other, rsaKey, ecKey)).keys.map(({ kid }) => kid)).toEqual(['r', 'e']);
    expect(problemsOf(SET, jwksOf(other))).toEqual(['11 .jwks_file jwt.key_file']);
  });

  it('takes keys that say what they are for', () => {
    const keys = [
      jwkOf(rsa.publicKey, { kid: 'a', use: 'sig', alg: 'RS256' }),
      jwkOf(p256.publicKey, { kid: 'b', key_ops: ['verify'] }),
    ];
    expect(optionsOf(SET, jwksOf(...keys)).keys.map(({ algorithms }) => algorithms)).toEqual([['RS256'], ['ES256']]);
  });

  it('must hold a key for every listed algorithm', () => {
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

  it('does not mind a name that a passed-over key has, too', () => {
    const other = jwkOf(rsa.publicKey, { kid: 'r', use: 'enc' });
    expect(optionsOf(SET, jwksOf(other, rsaKey, ecKey)).keys.length).toBe(2);
  });
});

describe('the content of a key file', () => {
  it('is part of the block: another key is another block, the same key in other words is not', () => {
    const carryKeysOf = (content: Content) => {
      const loaded = load('algorithms: [ES256]\npublic_key_file: files/key', content);
      return loaded.ok ? loaded.value.domains[0]?.policy.engines[0]?.carryKeys : [];
    };
    expect(carryKeysOf(CERTIFICATE)).toEqual(carryKeysOf(CERTIFIED_KEY));
    expect(carryKeysOf(CERTIFIED_KEY)).not.toEqual(carryKeysOf(pemOf(p256.publicKey)));
  });

  it('is plain: a block can be handed to another thread', () => {
    const options = optionsOf(SET, jwksOf(jwkOf(rsa.publicKey), jwkOf(p256.publicKey)));
    expect(structuredClone(options)).toEqual(options);
    expect(JSON.parse(JSON.stringify(options))).toEqual(options);
  });
});

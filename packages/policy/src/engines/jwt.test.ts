import { describe, expect, it } from 'vitest';
import { referencedFiles } from '../bundle.ts';
import { parsePolicyDocument } from '../load.ts';
import {
  CERTIFICATE,
  CERTIFIED_KEY,
  type Content,
  jwkOf,
  jwksOf,
  load,
  optionsOf,
  p256,
  pemOf,
  problemsOf,
  RS,
  rsa,
  SECRET,
  SET,
} from './jwt-keys/testing.ts';

describe('the fields of jwt', () => {
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
    ...['0s', '999ms', '8760h1s', '0'].map((age): [string, string, string[]] => [
      `a max_age of ${age}`,
      `${RS}\nmax_age: "${age}"`,
      [age === '0' ? '12 .max_age schema.value' : '12 .max_age jwt.max_age'],
    ]),
    ['a number as max_age', `${RS}\nmax_age: 60`, ['12 .max_age schema.type']],
    ...['a b', 'application/', 'a/b/c', '*/*', 'at+jwt; v=1', 'ät+jwt'].map((type): [string, string, string[]] => [
      `the type "${type}"`,
      `${RS}\ntype: "${type}"`,
      ['12 .type jwt.type'],
    ]),
    ['an empty type', `${RS}\ntype: ""`, ['12 .type schema.too_small']],
    [
      'a binding without a claim',
      `${RS}\nrequire_claims_for_path: [{ path_prefix: /a, any_of: [x] }]`,
      ['12 .require_claims_for_path[0].claim schema.required'],
    ],
    [
      'a binding without a text',
      `${RS}\nrequire_claims_for_path: [{ path_prefix: /a, claim: c, any_of: [] }]`,
      ['12 .require_claims_for_path[0].any_of schema.too_small'],
    ],
    [
      'a binding of numbers and truths',
      `${RS}\nrequire_claims_for_path: [{ path_prefix: /a, claim: c, any_of: [1, true, ""] }]`,
      [
        '12 .require_claims_for_path[0].any_of[0] schema.type',
        '12 .require_claims_for_path[0].any_of[1] schema.type',
        '12 .require_claims_for_path[0].any_of[2] schema.too_small',
      ],
    ],
    [
      'a binding to a path without a leading slash',
      `${RS}\nrequire_claims_for_path: [{ path_prefix: a, claim: c, any_of: [x] }]`,
      ['12 .require_claims_for_path[0].path_prefix schema.format'],
    ],
    [
      'a text twice',
      `${RS}\nrequire_claims_for_path: [{ path_prefix: /a, claim: c, any_of: [x, y z, x] }]`,
      ['12 .require_claims_for_path[0].any_of[2] jwt.any_of'],
    ],
    [
      'two scopes in one text',
      `${RS}\nrequire_claims_for_path:\n- { path_prefix: /a, claim: scope, any_of: [a b] }\n- { path_prefix: /a, claim: scp, any_of: ["a\\t"] }`,
      ['13 .require_claims_for_path[0].any_of[0] jwt.any_of', '14 .require_claims_for_path[1].any_of[0] jwt.any_of'],
    ],
    ['an unknown field', `${RS}\nsecret: x`, ['12 .secret schema.unknown_field']],
    ['the subject in a header of the proxy', `${RS}\nsubject_header: Host`, ['12 .subject_header jwt.subject_header']],
    [
      'the subject in the header of the token',
      `${RS}\nsubject_header: authorization`,
      ['12 .subject_header jwt.subject_header'],
    ],
    [
      'a framing header to be removed',
      `${RS}\nheader_name: Content-Type\nstrip_credential: true`,
      ['12 .header_name jwt.strip_credential'],
    ],
  ])('%s is refused at its place', (_, fields, problems) => {
    expect(problemsOf(fields, fields.includes('hmac') ? SECRET : pemOf(rsa.publicKey))).toEqual(problems);
  });

  it('have defaults and a normal form', () => {
    expect(optionsOf(RS, pemOf(rsa.publicKey))).toMatchObject({
      issuer: '',
      audience: '',
      leewayMs: 0,
      header: 'authorization',
      requiredClaims: [],
      maxAgeMs: null,
      type: '',
      bindings: [],
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
    const stricter = `${RS}\nmax_age: 15m\ntype: Application/AT+JWT\nrequire_claims_for_path:
- { path_prefix: /a//b/, claim: scope, any_of: [x] }
- { path_prefix: /c, whole_segments: true, claim: roles, any_of: [y, z] }`;
    expect(optionsOf(stricter, pemOf(rsa.publicKey))).toMatchObject({
      maxAgeMs: 900_000,
      type: 'at+jwt',
      bindings: [
        { pathPrefix: '/a/b/', wholeSegments: false, claim: 'scope', anyOf: ['x'] },
        { pathPrefix: '/c', wholeSegments: true, claim: 'roles', anyOf: ['y', 'z'] },
      ],
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

  it('is rejected if it leads outside, even if the bundle has a file with that path by accident', () => {
    const fields = 'algorithms: [RS256]\npublic_key_file: ../key';
    expect(problemsOf(fields, pemOf(rsa.publicKey), '../key')).toEqual(['11 .public_key_file jwt.file']);
  });

  it('is checked without the file if a document is checked alone', () => {
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

describe('the content of a key file', () => {
  it('is part of the block: another key gives another block, the same key in another encoding does not', () => {
    const carryKeysOf = (content: Content) => {
      const loaded = load('algorithms: [ES256]\npublic_key_file: files/key', content);
      return loaded.ok ? loaded.value.domains[0]?.policy.engines[0]?.carryKeys : [];
    };
    expect(carryKeysOf(CERTIFICATE)).toEqual(carryKeysOf(CERTIFIED_KEY));
    expect(carryKeysOf(CERTIFIED_KEY)).not.toEqual(carryKeysOf(pemOf(p256.publicKey)));
  });

  it('is plain data: a block can be sent to another thread', () => {
    const options = optionsOf(SET, jwksOf(jwkOf(rsa.publicKey), jwkOf(p256.publicKey)));
    expect(structuredClone(options)).toEqual(options);
    expect(JSON.parse(JSON.stringify(options))).toEqual(options);
  });
});

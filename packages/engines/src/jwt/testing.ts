import { constants, createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { FakeClock } from '@flotilla/kit';
import { type JwtAlgorithm, type JwtOptions, loadPolicyFiles } from '@flotilla/policy';
import { UNLIMITED } from '../budget.ts';
import type { CompiledEngine } from '../engine.ts';
import { createTestRequest } from '../testing.ts';
import { createJwtEngine } from './jwt-engine.ts';

export const SECRET = 'a secret of sixty-four characters, which is enough for every hash';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const KEYS = {
  rsa,
  otherRsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  p256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  p384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  p521: generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  ed25519: generateKeyPairSync('ed25519'),
} as const;

export type KeyName = keyof typeof KEYS;

/** A key for the algorithm. */
export function keyFor(algorithm: JwtAlgorithm): KeyName {
  switch (algorithm) {
    case 'ES256':
      return 'p256';
    case 'ES384':
      return 'p384';
    case 'ES512':
      return 'p521';
    case 'EdDSA':
      return 'ed25519';
    default:
      return 'rsa';
  }
}

export function pemOf(name: KeyName): string {
  return KEYS[name].publicKey.export({ format: 'pem', type: 'spki' }).toString();
}

/** Fields of an engine that accepts only RS256, with one key. */
export const RS256 = 'algorithms: [RS256], public_key_file: files/key';
/** Fields of an engine with a key set. */
export const SET = 'algorithms: [RS256, ES256, PS256], jwks_file: files/key';

export function jwkOf(name: KeyName, extra: object = {}) {
  return { ...KEYS[name].publicKey.export({ format: 'jwk' }), ...extra };
}

export function jwksOf(...keys: readonly object[]): string {
  return JSON.stringify({ keys });
}

export function encode(part: unknown): string {
  const bytes = typeof part === 'string' || Buffer.isBuffer(part) ? part : JSON.stringify(part);
  return Buffer.from(bytes).toString('base64url');
}

/** An issuer's signature of a text. */
export function signText(text: string, algorithm: JwtAlgorithm, key: KeyObject | string | Buffer): Buffer {
  const hash = `sha${algorithm.slice(2)}`;
  const data = Buffer.from(text);
  if (algorithm.startsWith('HS')) return createHmac(hash, key).update(data).digest();
  if (algorithm === 'EdDSA') return sign(null, data, key as KeyObject);
  if (algorithm.startsWith('ES')) return sign(hash, data, { key: key as KeyObject, dsaEncoding: 'ieee-p1363' });
  const padding = algorithm.startsWith('PS') ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING;
  const saltLength = algorithm.startsWith('PS') ? constants.RSA_PSS_SALTLEN_DIGEST : undefined;
  return sign(hash, data, { key: key as KeyObject, padding, saltLength });
}

export const NOW_MS = Date.UTC(2026, 0, 1);
export const NOW_S = NOW_MS / 1000;

export const CLAIMS = { iss: 'https://issuer.example.com', aud: 'api', sub: 'alice', exp: NOW_S + 600 };

export interface TokenSpec {
  readonly algorithm?: JwtAlgorithm;
  /** Replaces `{ alg, typ }`; a text is inserted verbatim. */
  readonly header?: unknown;
  /** Members merged over `CLAIMS`; a text is inserted verbatim. */
  readonly claims?: unknown;
  readonly key?: KeyObject | string | Buffer;
}

/** A signed token; by default a valid one for `RS256`. */
export function makeToken({ algorithm = 'RS256', header, claims = {}, key }: TokenSpec = {}): string {
  const body = typeof claims === 'object' && !Buffer.isBuffer(claims) ? { ...CLAIMS, ...claims } : claims;
  const text = `${encode(header ?? { alg: algorithm, typ: 'JWT' })}.${encode(body)}`;
  const signer = key ?? (algorithm.startsWith('HS') ? SECRET : KEYS[keyFor(algorithm)].privateKey);
  return `${text}.${signText(text, algorithm, signer).toString('base64url')}`;
}

/** The loaded options of a block. `fields` are lines of YAML; the key file is `files/key`. */
export function loadJwtOptions(fields: string, keyFile: string | Buffer): JwtOptions {
  const content = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: demo }
spec: { domains: [{ hosts: [a.example.com], policy: { engines: { jwt: { ${fields} } } } }] }
`;
  const loaded = loadPolicyFiles([
    { path: 'policy.yaml', content },
    { path: 'files/key', content: keyFile },
  ]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  const block = loaded.value.domains[0]?.policy.engines[0];
  if (block?.engine !== 'jwt') throw new Error('there is no jwt block');
  return block.options;
}

/** An engine's verdict on header values, in one line. */
export function ask(engine: CompiledEngine, ...values: string[]): string {
  return askAt(engine, '/', ...values);
}

/** The same for a request with a target. */
export function askAt(engine: CompiledEngine, target: string, ...values: string[]): string {
  const headers = values.map((value) => ['authorization', value] as const);
  const verdict = engine.decide(createTestRequest({ target, headers }), UNLIMITED);
  if (verdict.kind === 'block') return `${verdict.status} ${verdict.reason} ${verdict.severity}`;
  return `allow ${verdict.grant?.subject ?? ''}`;
}

export const MISSING = '403 jwt.missing high';
export const INVALID = '403 jwt.invalid high';
export const AGE = '403 jwt.age high';
export const TYPE = '403 jwt.type high';
export const SCOPE = '403 jwt.scope high';
export const MISSING_CLAIM = '403 jwt.missing_claim high';

/** By default, an engine that accepts the tokens of `makeToken`. */
export function createTestEngine(
  fields = 'algorithms: [RS256], public_key_file: files/key, issuer: "https://issuer.example.com", audience: api',
  keyFile: string | Buffer = pemOf('rsa'),
  clock = new FakeClock(NOW_MS),
): { engine: CompiledEngine; clock: FakeClock; ask: (...values: string[]) => string } {
  const engine = createJwtEngine(loadJwtOptions(fields, keyFile), clock);
  return { engine, clock, ask: (...values) => ask(engine, ...values) };
}

// Measures each engine separately on a prepared request view.
// node bench/src/shield-engines.ts [runs]
import { constants, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { type CompiledEngine, compileEngine, type RequestView, UNLIMITED } from '@flotilla/engines';
import { type EngineBlock, loadPolicyFiles, type PolicyFile, readPath } from '@flotilla/policy';
import { parse } from 'graphql';
import { KEY } from './shield/describe-policy.ts';
import { median } from './table.ts';

const runs = Number(process.argv[2] ?? 9);
const CALLS = 200_000;
const MIB = 1024 * 1024;
/** Tokens per turn of each side. */
const TURN = 100;
/** Passes over all tokens until the code is fully compiled: both sides become faster before that. */
const WARM_UP_PASSES = 12;

function viewOf(headers: Readonly<Record<string, string>>, method = 'GET', path = '/v1/users/42'): RequestView {
  const values = new Map(Object.entries(headers).map(([name, value]) => [name, [value]]));
  const header = (name: string) => values.get(name) ?? [];
  return {
    method,
    host: 'api.example.com',
    rawPath: path,
    query: '',
    paths: readPath(path),
    sourceIp: '192.0.2.1',
    header,
    findNames: (alike) => [...values.keys()].filter((name) => alike.has(name)),
  };
}

function compile(engines: object, files: readonly PolicyFile[] = []): CompiledEngine {
  const spec = {
    defaults: { inspect_request_body: true, max_request_body_bytes: 2 * MIB },
    domains: [{ hosts: ['api.example.com'], policy: { engines } }],
  };
  const document = { apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata: { name: 'bench' }, spec };
  const loaded = loadPolicyFiles([{ path: 'p.json', content: JSON.stringify(document) }, ...files]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error[0]));
  return compileEngine(loaded.value.domains[0]?.policy.engines[0] as EngineBlock);
}

/** Microseconds per call: the median of the runs after a warm-up run. */
function time(calls: number, work: () => unknown): number {
  const samples: number[] = [];
  for (let run = 0; run <= runs; run++) {
    const began = performance.now();
    for (let n = 0; n < calls; n++) work();
    if (run > 0) samples.push(((performance.now() - began) / calls) * 1000);
  }
  return median(samples);
}

const us = (value: number) => Number(value.toFixed(3));

function measureDecision(engines: object, view: RequestView): number {
  const engine = compile(engines);
  return us(time(CALLS, () => engine.decide(view, UNLIMITED)));
}

console.log(`header phase, microseconds, median of ${runs} runs of ${CALLS}`);
console.table({
  'api_key allowed (goal 1.5)': {
    us: measureDecision({ api_key: { keys: [{ key: KEY }] } }, viewOf({ 'x-api-key': KEY })),
  },
  'rate_limit allowed (goal 0.3)': {
    us: measureDecision({ rate_limit: { requests_per_second: 1e9, burst: 1_000_000_000 } }, viewOf({})),
  },
  'rate_limit blocked': { us: measureDecision({ rate_limit: { requests_per_second: 1e-6, burst: 1 } }, viewOf({})) },
});

const LOGIN = 'https://login.example.com';

/** Every algorithm uses SHA-256; `how` are Node's options beside the key. */
const SIGNERS = {
  RS256: { pair: generateKeyPairSync('rsa', { modulusLength: 2048 }), how: {} },
  PS256: {
    pair: generateKeyPairSync('rsa', { modulusLength: 2048 }),
    how: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 },
  },
  ES256: { pair: generateKeyPairSync('ec', { namedCurve: 'P-256' }), how: { dsaEncoding: 'ieee-p1363' } },
} as const;

type Algorithm = keyof typeof SIGNERS;

/** A typical token, valid for an hour. */
function signToken(algorithm: Algorithm, subject: string): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: LOGIN, aud: 'shop', sub: subject, exp: now + 3600, iat: now, scope: 'read write' };
  const text = `${encode({ alg: algorithm, typ: 'JWT' })}.${encode(claims)}`;
  const { pair, how } = SIGNERS[algorithm];
  return `${text}.${sign('sha256', Buffer.from(text), { key: pair.privateKey, ...how }).toString('base64url')}`;
}

/** An engine with an empty cache. */
function compileJwt(algorithm: Algorithm): CompiledEngine {
  const pem = SIGNERS[algorithm].pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  return compile({ jwt: { algorithms: [algorithm], public_key_file: 'files/key.pem', issuer: LOGIN } }, [
    { path: 'files/key.pem', content: pem },
  ]);
}

/** Compares a token seen for the first time with `crypto.verify` as documented by Node. */
function measureNewTokens(algorithm: Algorithm) {
  const tokens = Array.from({ length: 4000 }, (_, n) => signToken(algorithm, `user-${n}`));
  const { pair, how } = SIGNERS[algorithm];
  const publicKey = createPublicKey(pair.publicKey.export({ type: 'spki', format: 'pem' }));
  // RS256 needs no options, and passing the key alone is the fastest call.
  const key = algorithm === 'RS256' ? publicKey : { key: publicKey, ...how };
  const parts = tokens.map((token) => {
    const at = token.lastIndexOf('.');
    return { data: Buffer.from(token.slice(0, at)), signature: Buffer.from(token.slice(at + 1), 'base64url') };
  });
  const samples = { engine: [] as number[], bare: [] as number[] };
  // Alternates within each run, with an empty cache, so that other load on the machine affects both.
  const strangers = tokens.map((token) => viewOf({ authorization: `Bearer ${token}` }));
  for (let run = -WARM_UP_PASSES; run < runs; run++) {
    const fresh = compileJwt(algorithm);
    const took = { engine: 0, bare: 0 };
    for (let at = 0; at < tokens.length; at += TURN) {
      const began = performance.now();
      for (const view of strangers.slice(at, at + TURN)) fresh.decide(view, UNLIMITED);
      const between = performance.now();
      for (const { data, signature } of parts.slice(at, at + TURN)) verify('sha256', data, key, signature);
      took.engine += between - began;
      took.bare += performance.now() - between;
    }
    if (run < 0) continue;
    samples.engine.push((took.engine / tokens.length) * 1000);
    samples.bare.push((took.bare / tokens.length) * 1000);
  }
  return {
    us: us(median(samples.engine)),
    'bare crypto.verify (us)': us(median(samples.bare)),
    ratio: us(median(samples.engine.map((sample, n) => sample / (samples.bare[n] ?? 1)))),
  };
}

function measureRememberedToken(): number {
  const engine = compileJwt('RS256');
  const known = viewOf({ authorization: `Bearer ${signToken('RS256', 'user')}` });
  return us(time(CALLS, () => engine.decide(known, UNLIMITED)));
}

console.log(`jwt, microseconds, median of ${runs} runs`);
console.table({
  'remembered (goal 1)': { us: measureRememberedToken() },
  'RS256, new (goal 1.2 times bare)': measureNewTokens('RS256'),
  'PS256, new': measureNewTokens('PS256'),
  'ES256, new': measureNewTokens('ES256'),
});

const GRAPHQL = compile({
  graphql: { max_depth: 10, max_aliases: 15, max_total_fields: 100_000, max_root_fields: 100_000 },
});
const POST = viewOf({ 'content-type': 'application/json' }, 'POST', '/graphql');
const toBody = (query: string) => Buffer.from(JSON.stringify({ query }));

const TYPICAL =
  'query User($id: ID!) { user(id: $id) { name email orders(first: 10) { edges { node { id total items { sku price } } } } ...More } } fragment More on User { created address { street city } }';

function fill(part: string, bytes: number): string {
  return part.repeat(Math.floor(bytes / part.length));
}

const WORST: Readonly<Record<string, Buffer>> = {
  '1 MiB of fields': toBody(`{${fill('a ', MIB - 100)}}`),
  '1 MiB of commas': toBody(`{a${fill(',', MIB - 100)}}`),
  '1 MiB of directives': toBody(`{a ${fill('@d ', MIB - 100)}}`),
  '1 MiB of brackets': toBody(fill('{a', MIB - 100)),
  '1 MiB batch': Buffer.from(`[${fill('{"query":"{a}"},', MIB - 100)}{"query":"{a}"}]`),
  '1 MiB of fragments that double': toBody(
    `{...F0}${Array.from({ length: 20_000 }, (_, n) => `fragment F${n} on T{...F${n + 1} ...F${n + 1}}`).join('')}`,
  ),
};

function measureGraphql(body: Buffer, calls: number): number {
  return us(time(calls, () => GRAPHQL.body?.decide(POST, body, UNLIMITED)));
}

console.log(`graphql body phase, microseconds, median of ${runs} runs`);
const typical = toBody(TYPICAL);
console.table({
  'typical query (goal 5)': { us: measureGraphql(typical, 50_000) },
  'JSON.parse and graphql-js parse of the same': {
    us: us(time(20_000, () => parse((JSON.parse(typical.toString()) as { query: string }).query))),
  },
  ...Object.fromEntries(
    Object.entries(WORST).map(([name, body]) => [`${name} (goal 20,000)`, { us: Math.round(measureGraphql(body, 3)) }]),
  ),
});

import { createHmac } from 'node:crypto';
import { buildRuntime, type PolicyRuntime } from '@flotilla/decision';
import { compileEngine, createArenaBuffer, LimiterArena } from '@flotilla/engines';
import { loadPolicyFiles } from '@flotilla/policy';
import { arrivalClock } from '../exchange/arrival-clock.ts';

const SECRET = 'a secret that guards nothing, of thirty-two bytes or more';
const HOST = 'warm.example';
const SAMPLE_KEY = 'a key that opens nothing';
/** Memory for the few clients of the samples. */
const ARENA_BYTES = 1024 * 1024;

const POLICY = {
  apiVersion: 'flotilla.dev/v1',
  kind: 'SecurityPolicy',
  metadata: { name: 'warm-up' },
  spec: {
    defaults: { inspect_request_body: true, max_request_body_bytes: 65_536 },
    domains: [
      {
        hosts: [HOST],
        policy: { engines: { rate_limit: { requests_per_second: 1_000_000 } } },
        routes: [
          {
            match: { path_prefix: '/key' },
            policy: { engines: { api_key: { keys: [{ key: SAMPLE_KEY, subject: 'warm' }] } } },
          },
          {
            match: { path_prefix: '/token' },
            policy: { engines: { jwt: { algorithms: ['HS256'], hmac_secret_file: 'warm.secret' } } },
          },
          { match: { path_prefix: '/graphql' }, policy: { engines: { graphql: { max_depth: 5 } } } },
        ],
      },
    ],
  },
};

/** A runtime with every engine and its own state, which affects no other runtime. */
export function buildSampleRuntime(): PolicyRuntime {
  const loaded = loadPolicyFiles([
    { path: 'warm.json', content: JSON.stringify(POLICY) },
    { path: 'warm.secret', content: SECRET },
  ]);
  if (!loaded.ok) throw new Error('the sample policy is not valid');
  const arena = new LimiterArena(createArenaBuffer(ARENA_BYTES));
  return buildRuntime(loaded.value, { nowMs: 0, compile: (block) => compileEngine(block, arrivalClock, { arena }) });
}

/** A request for the sample runtime. */
export interface Sample {
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string;
}

/** Requests that engines allow and requests that they block. */
export function createSamples(nowMs: number): Sample[] {
  const request = (path: string, ...more: readonly (readonly [string, string])[]): Sample['headers'] => [
    [':method', 'GET'],
    [':scheme', 'http'],
    [':authority', HOST],
    [':path', path],
    ['user-agent', 'warm-up'],
    ['x-forwarded-for', '192.0.2.1'],
    ['x-request-id', '00000000-0000-4000-8000-000000000000'],
    ...more,
  ];
  const post = request('/graphql', ['content-type', 'application/json']).map(
    ([name, value]) => [name, name === ':method' ? 'POST' : value] as const,
  );
  return [
    { headers: request('/') },
    { headers: request('/key/a?b=c', ['x-api-key', SAMPLE_KEY]) },
    { headers: request('/key/%61/../b', ['x-api-key', 'unknown']) },
    { headers: request('/token', ['authorization', `Bearer ${signToken(nowMs)}`]) },
    { headers: request('/token', ['authorization', 'Bearer none']) },
    {
      headers: post,
      body: JSON.stringify({ query: 'query Q($a: ID!) { a(id: $a) { b ...F } } fragment F on T { c }' }),
    },
    { headers: post, body: JSON.stringify({ query: '{a{b{c{d{e{f{g}}}}}}}' }) },
  ];
}

function signToken(nowMs: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: 'warm', exp: Math.floor(nowMs / 1000) + 600 })}`;
  return `${text}.${createHmac('sha256', SECRET).update(text).digest('base64url')}`;
}

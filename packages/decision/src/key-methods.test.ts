import { gzipSync } from 'node:zlib';
import { digestApiKey } from '@flotilla/policy';
import { describe, expect, it } from 'vitest';
import { explainRequest } from './explain/explain-request.ts';
import type { TrialRequest } from './explain/trial-request.ts';
import { loadSpecs } from './testing/workshop.ts';

const KEY = { sha256: digestApiKey('one'), subject: 'form', methods: ['GET', 'POST'] };
const INSPECTED = { inspect_request_body: true, max_request_body_bytes: 100 };
const FORM: [string, string] = ['content-type', 'application/x-www-form-urlencoded'];

const load = (defaults: object, engines: object = {}) =>
  loadSpecs([
    { defaults, domains: [{ hosts: ['a.test'], policy: { engines: { api_key: { keys: [KEY] }, ...engines } } }] },
  ]);

function explain(policies: ReturnType<typeof load>, { headers = [FORM], ...request }: Partial<TrialRequest>) {
  const sent = [['x-api-key', 'one'] as const, ...headers];
  return explainRequest(policies, { method: 'POST', url: 'https://a.test/', headers: sent, ...request });
}

const reasonOf = (...args: Parameters<typeof explain>) => explain(...args).decisive?.reason ?? 'allow';
const DELETES = '_method=DELETE';

describe('a body field with key methods', () => {
  it('is requested and found if bodies are inspected', () => {
    const { decisive, summary, engines } = explain(load(INSPECTED), { body: DELETES });
    expect(decisive).toMatchObject({ engine: 'api_key', reason: 'apikey.method', status: 403, subject: 'form' });
    expect(summary).toBe(
      'Blocked with 403 by api_key of policy p0: apikey.method (the key may be used for GET, POST; the request overrides its method).',
    );
    expect(engines.map(({ engine, phase, effect }) => [engine, phase, effect])).toEqual([
      ['api_key', 'headers', 'none'],
      ['api_key', 'body', 'blocked'],
    ]);
    expect(reasonOf(load(INSPECTED), { body: '_method=POST' })).toBe('allow');
  });

  it('is not requested if bodies are not inspected', () => {
    const { decisive, engines } = explain(load({}), { body: DELETES });
    expect([decisive, engines.map(({ phase }) => phase)]).toEqual([null, ['headers']]);
  });

  it('continues in mode detect, with a record', () => {
    const { verdict, engines } = explain(load({ ...INSPECTED, mode: 'detect' }), { body: DELETES });
    expect([verdict, engines.map(({ effect }) => effect)]).toEqual(['allowed', ['none', 'detected']]);
  });

  it('blocks a body that is too long or cannot be decoded, whatever else reads bodies', () => {
    for (const engines of [{}, { graphql: { max_depth: 3 } }]) {
      expect(reasonOf(load(INSPECTED, engines), { body: 'a'.repeat(101) })).toBe('body.too_large');
      const headers: [string, string][] = [FORM, ['content-encoding', 'compress']];
      expect(reasonOf(load(INSPECTED, engines), { headers, body: 'a=1' })).toBe('body.undecodable');
    }
  });

  it('is found inside a content coding, and before one that nobody decodes', () => {
    const coded = (bytes: Buffer) => ({
      headers: [FORM, ['content-encoding', 'gzip']] as [string, string][],
      body_base64: bytes.toString('base64'),
    });
    const head = Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]);
    const both = (name: string, content: string) =>
      coded(Buffer.concat([head, Buffer.from(`${name}\0`), gzipSync(content).subarray(10)]));
    const policies = load(INSPECTED);
    expect(reasonOf(policies, coded(gzipSync(DELETES)))).toBe('apikey.method');
    expect(reasonOf(policies, coded(gzipSync('_method=POST', { level: 0 })))).toBe('allow');
    expect(reasonOf(policies, both(`&${DELETES}&`, 'a=1'))).toBe('body.undecodable');
    expect(reasonOf(policies, both(`&${DELETES}&`, '_method=POST'))).toBe('body.undecodable');
    expect(reasonOf(policies, both('\r\n--b\r\nname=_method\r\n\r\nPUT\r\n--b--', 'a=1'))).toBe('body.undecodable');
    expect(reasonOf(policies, both('report.pdf', 'a=1'))).toBe('allow');
  });
});

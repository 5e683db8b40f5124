import { UNLISTED_PATH } from '@flotilla/policy/testing';
import { describe, expect, it } from 'vitest';
import { UNLIMITED } from '../budget.ts';
import { createTestRequest } from '../testing.ts';
import { createGraphqlEngine } from './graphql-engine.ts';
import { decideRequest, NO_LIMITS } from './testing.ts';

const DEEP = '{a{b{c}}}';
const json = (query: unknown) => JSON.stringify({ query });

describe('the choice of inspected requests', () => {
  const limits = { maxDepth: 2 };
  const body = json(DEEP);

  it.each([
    ['POST', 'depth'],
    ['GET', 'depth'],
    ['HEAD', 'depth'],
    ['post', 'depth'],
    ['PUT', 'unseen'],
    ['PATCH', 'unseen'],
    ['DELETE', 'unseen'],
    ['OPTIONS', 'unseen'],
    ['', 'unseen'],
  ])('a body with the method %j: %s', (method, expected) => {
    expect(decideRequest(limits, { method, body })).toBe(expected);
  });

  it.each([
    ['POST', 'depth'],
    ['GET', 'depth'],
    ['HEAD', 'depth'],
    ['PUT', 'allow'],
    ['DELETE', 'allow'],
  ])('a URL with the method %j: %s', (method, expected) => {
    expect(decideRequest(limits, { method, target: `/graphql?query=${DEEP}` })).toBe(expected);
  });

  it.each([
    ['PUT', 'depth'],
    ['patch', 'depth'],
    ['DELETE', 'depth'],
    ['OPTIONS', 'depth'],
    ['QUERY', 'depth'],
    ['POST', 'depth'],
    ['GET', 'depth'],
    ['', 'depth'],
    ['CONNECT', 'unseen'],
  ])('with any_method a request with the method %j: %s', (method, expected) => {
    const options = { ...limits, anyMethod: true, paths: ['/graphql'] };
    expect(decideRequest(options, { method, body })).toBe(expected);
    const target = `/graphql?query=${DEEP}`;
    expect(decideRequest(options, { method, target })).toBe(expected === 'unseen' ? 'allow' : expected);
    expect(decideRequest(options, { method, body: json('{a}') })).toBe(expected === 'unseen' ? 'unseen' : 'allow');
    expect(decideRequest(options, { method, target: '/other', body })).toBe('unseen');
  });

  it.each([
    ['X-HTTP-Method-Override', 'POST', 'depth'],
    ['x-http-method-override', 'get', 'depth'],
    ['x_http.method-override', 'Post', 'depth'],
    ['x!http~method-override', 'POST', 'depth'],
    ['X-HTTP-Method-Override', 'POST, DELETE', 'depth'],
    ['X-HTTP-Method-Override', 'DELETE ,post', 'depth'],
    ['X-HTTP-Method', 'POST', 'depth'],
    ['X-Method-Override', 'HEAD', 'depth'],
    ['X-HTTP-Method-Override', 'DELETE', 'unseen'],
    ['X-HTTP-Method-Override', 'DELETE, POSTS', 'unseen'],
    ['X-HTTP-Method-Overrides', 'POST', 'unseen'],
  ])('a body with the method PUT that the header %s: %s overrides: %s', (name, method, expected) => {
    expect(decideRequest(limits, { method: 'PUT', body, headers: [[name, method]] })).toBe(expected);
  });

  it.each<[readonly string[], string]>([
    [['application/json'], 'depth'],
    [['application/json; charset=utf-8'], 'depth'],
    [['APPLICATION/JSON ;a="b;c"'], 'depth'],
    [[' application/json\t'], 'depth'],
    [['application/json garbage'], 'depth'],
    [['text/plain, application/json'], 'depth'],
    [['text/plain', 'application/json'], 'depth'],
    [['application/json', 'text/plain'], 'depth'],
    [[], 'depth'],
    [[''], 'depth'],
    [['; charset=utf-8'], 'depth'],
    [['text/plain'], 'unseen'],
    [['text/plain; a=application/json'], 'depth'],
    [['application/jsonp'], 'depth'],
    [['x(APPLICATION/JSON)'], 'depth'],
    [['application /json'], 'depth'],
    [['text/plain; a=json'], 'unseen'],
    [['application/x-www-form-urlencoded'], 'unseen'],
    [['multipart/form-data; boundary=x'], 'unseen'],
    [['application/vnd.api+json'], 'unseen'],
  ])('a body of the types %j: %s', (types, expected) => {
    expect(decideRequest(limits, { types, body })).toBe(expected);
  });

  // Behind Caddy and lighttpd, PHP gets HTTP_CONTENT_TYPE from these in addition to CONTENT_TYPE; graphene-django checks both.
  it.each([
    ['content.type', 'depth'],
    ['Content_Type', 'depth'],
    ['content!type', 'depth'],
    ['content-types', 'unseen'],
  ])('a body of the type image/png with application/json in %s: %s', (name, expected) => {
    const headers = [[name, 'application/json']] as const;
    expect(decideRequest(limits, { types: ['image/png'], headers, body })).toBe(expected);
  });

  it('includes a document without a type, but with one in content_type', () => {
    const request = { types: [], headers: [['content_type', 'application/graphql']] } as const;
    expect(decideRequest(limits, { ...request, body: DEEP })).toBe('depth');
    expect(decideRequest(limits, { ...request, body: '{a}' })).toBe('allow');
  });

  it.each<[string, string, string, string]>([
    ['text/plain', 'text/plain', body, 'depth'],
    ['text/*', 'text/x-query', body, 'depth'],
    ['text/*', 'application/json', body, 'unseen'],
    ['*/*', 'image/png', body, 'depth'],
    ['application/vnd.api+json', 'application/vnd.api+json', body, 'depth'],
    ['application/graphql', 'application/graphql', DEEP, 'depth'],
    ['application/graphql', 'application/graphql;charset=utf-8', `\ufeff # \n${DEEP}`, 'depth'],
    ['application/graphql', 'application/graphql', body, 'parse_error'],
    ['application/graphql-request', 'application/graphql-request', DEEP, 'depth'],
    ['application/graphql+json', 'application/graphql+json', body, 'depth'],
    ['application/x-www-form-urlencoded', 'application/x-www-form-urlencoded', `a=b&query=${DEEP}`, 'depth'],
    ['application/x-www-form-urlencoded', 'application/x-www-form-urlencoded', 'a=b&variables=%7B', 'allow'],
  ])('with the entry %s, a body of %s is read', (entry, type, text, expected) => {
    expect(decideRequest({ ...limits, contentTypes: [entry] }, { types: [type], body: text })).toBe(expected);
  });

  it.each([
    ['application/json; application/graphql', DEEP, 'depth'],
    ['application/json; application/graphql', json('{a}'), 'allow'],
    ['application/json; application/graphql', 'no', 'allow'],
    ['application/graphql+json', json('{a}'), 'allow'],
    ['application/graphql+json', body, 'depth'],
    ['application/graphql+json', DEEP, 'depth'],
    ['application/graphql, application/graphql+json', 'no', 'parse_error'],
  ])('a type that is only mentioned (%s) is also read, and need not be the type: %s', (type, text, expected) => {
    expect(decideRequest(limits, { types: [type], body: text })).toBe(expected);
  });

  it('includes a document that is not UTF-8, also as graphql-php reads it', () => {
    const types = ['application/graphql'];
    const read = (text: string) => decideRequest(limits, { types, body: Buffer.from(text, 'latin1') });
    expect(read('{a(s:"\xc3"){b}#"){b{c}}\n}')).toBe('depth');
    expect(read('{a(s:"\xc3"){b}#"){b}\n}')).toBe('allow');
    expect(read('{a(s:"\xc3")}')).toBe('allow');
    expect(read('{a(s:"\xc3""){b}}')).toBe('parse_error');
  });

  it('includes a text that only graphql-php reads as a document, even if the type is only mentioned', () => {
    const types = ['application/json; application/graphql'];
    const read = (text: string) => decideRequest(limits, { types, body: Buffer.from(text, 'latin1') });
    expect(read('{a(s:"\xc3""){b{c}}}')).toBe('depth');
    expect(read('{a(s:"\xc3""){b}}')).toBe('allow');
  });

  it('includes a text over a bound, which may be a document to others, even if the type is only mentioned', () => {
    const types = ['application/json; application/graphql'];
    for (const body of [`{${'a '.repeat(100_000)}}`, '{a'.repeat(900) + '}'.repeat(900)]) {
      expect(decideRequest(limits, { types, body })).toBe('parse_error');
    }
  });

  it('applies a range to the types that it covers', () => {
    const read = (contentTypes: string[], type: string, text: string) =>
      decideRequest({ ...limits, contentTypes }, { types: [type], body: text });
    expect(read(['*/*'], 'text/plain; application/graphql', DEEP)).toBe('depth');
    expect(read(['application/*'], 'text/plain; application/x-www-form-urlencoded', `query=${DEEP}`)).toBe('depth');
    expect(read(['text/*'], 'text/plain; application/graphql', DEEP)).toBe('allow');
  });

  it('reads a body of two types as both', () => {
    const types = ['application/json', 'application/graphql'];
    expect(decideRequest(limits, { types, body: json('{a}') })).toBe('parse_error');
    expect(decideRequest(limits, { types: types.slice(0, 1), body: json('{a}') })).toBe('allow');
    expect(decideRequest(limits, { types, body: DEEP })).toBe('depth');
  });

  it.each([
    ['/graphql', 'depth'],
    ['/graphql/', 'depth'],
    ['/graphqlx', 'depth'],
    ['//graphql', 'depth'],
    ['/%67raphql', 'depth'],
    ['/x/../graphql', 'depth'],
    ['/x/%2e%2e/graphql', 'depth'],
    ['/;x/graphql', 'depth'],
    ['/\\graphql', 'depth'],
    ['/x/..%2fgraphql', 'depth'],
    ['/%2567raphql', 'depth'],
    ['/GraphQL', 'depth'],
    ['/graphql/../other', 'depth'],
    ['/other', 'unseen'],
    ['/other/graphql', 'unseen'],
    ['/', 'unseen'],
  ])('with the path /graphql, a request to %s: %s', (target, expected) => {
    expect(decideRequest({ ...limits, paths: ['/graphql'] }, { target, body })).toBe(expected);
    const url = decideRequest({ ...limits, paths: ['/graphql'] }, { method: 'GET', target: `${target}?query=${DEEP}` });
    expect(url).toBe(expected === 'unseen' ? 'allow' : expected);
  });

  it('puts a path that may be any path under every entry', () => {
    expect(decideRequest({ ...limits, paths: ['/graphql'] }, { target: UNLISTED_PATH, body })).toBe('depth');
  });

  it('ignores the case of an entry', () => {
    for (const target of ['/graphql', '/GRAPHQL', '/x/..%2fGraphQL']) {
      expect(decideRequest({ ...limits, paths: ['/GraphQL'] }, { target, body })).toBe('depth');
    }
  });

  const UPGRADE = [
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
  ] as const;

  it.each([
    ['GET', '/graphql', [], 'allow'],
    ['GET', `//GraphQL?query=${DEEP}`, [], 'block'],
    ['GET', '/graphql', [['content-length', '0']], 'allow'],
    ['GET', '/graphql', [['content-length', '40']], 'block'],
    ['GET', '/graphql', [['transfer-encoding', 'chunked']], 'block'],
    ['POST', '/graphql', [], 'block'],
    ['POST', '/chat', [], 'allow'],
  ] as const)('an upgrade by %s %s with %j: %s, and what follows is never awaited', (method, target, more, kind) => {
    const engine = createGraphqlEngine({ ...NO_LIMITS, maxDepth: 2, paths: ['/graphql'] });
    const request = { ...createTestRequest({ target, headers: [...UPGRADE, ...more] }), method };
    expect(engine.decide(request, UNLIMITED).kind).toBe(kind);
    expect(engine.body?.wants(request)).toBe(false);
  });

  it.each([
    ['GET', '/graphql', [], 'graphql.upgrade'],
    ['GET', '/%67raphql', [], 'graphql.upgrade'],
    ['GET', '/graphql', [['content-length', '40']], 'graphql.upgrade'],
    ['POST', '/graphql', [], 'graphql.upgrade'],
    ['PUT', '/graphql', [], 'graphql.upgrade'],
    ['CONNECT', '/graphql', [], 'graphql.upgrade'],
    ['GET', '/chat', [], undefined],
  ] as const)('with block_upgrades an upgrade by %s %s with %j: %s', (method, target, more, reason) => {
    const engine = createGraphqlEngine({ ...NO_LIMITS, maxDepth: 2, blockUpgrades: true, paths: ['/graphql'] });
    const of = (headers: readonly (readonly [string, string])[]) =>
      engine.decide({ ...createTestRequest({ target, headers: [...headers, ...more] }), method }, UNLIMITED);
    expect(of(UPGRADE)).toMatchObject(reason === undefined ? { kind: 'allow' } : { kind: 'block', reason });
    expect(of([['upgrade', 'h2c']])).toMatchObject(
      reason === undefined ? { kind: 'allow' } : { kind: 'block', reason },
    );
    expect(of([])).toMatchObject({ kind: 'allow' });
  });

  it('does not request the bodies of other requests', () => {
    const engine = createGraphqlEngine({ ...NO_LIMITS, maxDepth: 2, paths: ['/graphql'] });
    const wants = (method: string, target: string, type: string) =>
      engine.body?.wants({ ...createTestRequest({ target, headers: [['content-type', type]] }), method });
    expect(wants('POST', '/graphql', 'application/json')).toBe(true);
    expect(wants('POST', '/upload', 'application/json')).toBe(false);
    expect(wants('POST', '/graphql', 'video/mp4')).toBe(false);
    expect(wants('PUT', '/graphql', 'application/json')).toBe(false);
    const any = createGraphqlEngine({ ...NO_LIMITS, maxDepth: 2, anyMethod: true });
    expect(any.body?.wants({ ...createTestRequest({}), method: 'PUT' })).toBe(true);
    expect(any.body?.wants({ ...createTestRequest({}), method: 'CONNECT' })).toBe(false);
  });
});

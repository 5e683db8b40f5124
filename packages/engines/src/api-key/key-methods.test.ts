import { FakeClock } from '@flotilla/kit';
import { digestApiKey } from '@flotilla/policy';
import { describe, expect, it } from 'vitest';
import { UNLIMITED } from '../budget.ts';
import { createTestRequest, type TestRequest } from '../testing.ts';
import { createApiKeyEngine } from './api-key-engine.ts';

const OPEN = { scopes: [], notBeforeMs: null, expiresAtMs: null, limit: null };

function decide(methods: readonly string[], request: TestRequest) {
  const keys = [{ ...OPEN, sha256: digestApiKey('k'), subject: 'reader', methods }];
  const bindings = [{ pathPrefix: '/admin', scope: 'admin', wholeSegments: false }];
  const sources = [{ source: 'header' as const, name: 'x-api-key' }];
  const engine = createApiKeyEngine(
    { sources, keys, bindings, stripCredential: false, subjectHeader: '' },
    new FakeClock(),
  );
  const headers = [['x-api-key', 'k'] as const, ...(request.headers ?? [])];
  return engine.decide(createTestRequest({ ...request, headers }), UNLIMITED);
}

const ask = (methods: readonly string[], request: TestRequest) => {
  const verdict = decide(methods, request);
  return verdict.kind === 'allow' ? 'allow' : verdict.reason;
};

const READ = ['GET', 'HEAD'];

describe('the methods of a key', () => {
  it.each([
    ['GET', 'allow'],
    ['HEAD', 'allow'],
    ['POST', 'apikey.method'],
    ['DELETE', 'apikey.method'],
    ['get', 'apikey.method'],
    ['GETS', 'apikey.method'],
    ['', 'apikey.method'],
    ['constructor', 'apikey.method'],
  ])('are compared as they are sent: %s', (method, expected) => expect(ask(READ, { method })).toBe(expected));

  it('allow everything if none is listed', () => {
    expect(ask([], { method: 'DELETE', headers: [['x-http-method-override', 'PURGE']] })).toBe('allow');
  });

  it('distinguish HEAD from GET', () => {
    expect(ask(['GET'], { method: 'HEAD' })).toBe('apikey.method');
    expect(ask(['HEAD'], { method: 'GET' })).toBe('apikey.method');
  });

  it('name the key and its allowed methods in the finding', () => {
    expect(decide(READ, { method: 'POST' })).toEqual({
      kind: 'block',
      reason: 'apikey.method',
      severity: 'high',
      status: 403,
      subject: 'reader',
      detail: 'the key may be used for GET, HEAD',
    });
    expect(decide(READ, { target: '/?_method=delete' })).toMatchObject({
      subject: 'reader',
      detail: 'the key may be used for GET, HEAD; the request overrides its method',
    });
  });

  it('are checked before the scopes', () => {
    expect(ask(READ, { method: 'POST', target: '/admin' })).toBe('apikey.method');
    expect(ask(READ, { target: '/admin' })).toBe('apikey.scope');
  });
});

describe('a header that overrides the method', () => {
  it.each<[string, string, string]>([
    ['x-http-method-override', 'DELETE', 'apikey.method'],
    ['X-HTTP-Method-Override', 'delete', 'apikey.method'],
    ['x-http-method', 'PUT', 'apikey.method'],
    ['x-method-override', 'PUT', 'apikey.method'],
    ['x_http.method-override', 'PUT', 'apikey.method'],
    ['x!http~method-override', 'PUT', 'apikey.method'],
    ['x-http-method-override', 'GET, DELETE', 'apikey.method'],
    ['x-http-method-override', 'DELETE ,get', 'apikey.method'],
    ['x-http-method-override', 'GET DELETE', 'apikey.method'],
    ['x-http-method-override', '"DELETE"', 'apikey.method'],
    ['x-http-method-override', 'get', 'allow'],
    ['x-http-method-override', 'HEAD', 'allow'],
    ['x-http-method-override', 'GET,\tHEAD,', 'allow'],
    ['x-http-method-override', '', 'allow'],
    ['x-http-method-overrides', 'DELETE', 'allow'],
  ])('%s: %s', (name, value, expected) => expect(ask(READ, { headers: [[name, value]] })).toBe(expected));

  it('counts on every line', () => {
    const headers: [string, string][] = [
      ['x-http-method-override', 'GET'],
      ['x-http-method-override', 'DELETE'],
    ];
    expect(ask(READ, { headers })).toBe('apikey.method');
  });

  it('does not make another method allowed', () => {
    expect(ask(READ, { method: 'POST', headers: [['x-http-method-override', 'GET']] })).toBe('apikey.method');
  });
});

describe('a query parameter that overrides the method', () => {
  it.each([
    ['_method=DELETE', 'apikey.method'],
    ['_method=get&_method=delete', 'apikey.method'],
    ['a=1&%5Fmethod=%44ELETE', 'apikey.method'],
    ['%zz&_method=PUT', 'apikey.method'],
    // Names that PHP converts to `_method`.
    ['.method=PUT', 'apikey.method'],
    ['+_method=PUT', 'apikey.method'],
    ['%20.method=PUT', 'apikey.method'],
    ['_method%00x=PUT', 'apikey.method'],
    // Slim, ASP.NET MVC, Catalyst, a list for Express, Struts, a Flask recipe, `;` for older servers.
    ['_METHOD=PUT', 'apikey.method'],
    ['X-HTTP-Method-Override=PUT', 'apikey.method'],
    ['x-tunneled-method=PUT', 'apikey.method'],
    ['_method[]=PUT', 'apikey.method'],
    ['__http_method=PUT', 'apikey.method'],
    ['__METHOD_OVERRIDE__=PUT', 'apikey.method'],
    ['a;_method=PUT', 'apikey.method'],
    ['_method=POST', 'allow'],
    ['_method=', 'allow'],
    ['_method', 'allow'],
    ['method=DELETE', 'allow'],
    ['a=_method&b=DELETE', 'allow'],
  ])('%s', (query, expected) => expect(ask(['POST'], { method: 'POST', target: `/?${query}` })).toBe(expected));

  it.each([
    ['/x??_method=DELETE', 'apikey.method'],
    ['/x???%5Fmethod=DELETE', 'apikey.method'],
    ['/x?a=1?_method=DELETE', 'apikey.method'],
    ['/x?/?_method=DELETE', 'apikey.method'],
    ['/x%3F_method=DELETE', 'apikey.method'],
    ['/x%3f%5Fmethod%3dDELETE?a=1', 'apikey.method'],
    ['/x%253F_method=DELETE', 'apikey.method'],
    ['/x??_method=POST', 'allow'],
    ['/x%3F', 'allow'],
    ['/x??', 'allow'],
  ])('is found behind any question mark (attack 7): %s: %s', (target, expected) => {
    expect(ask(['POST'], { method: 'POST', target })).toBe(expected);
  });
});

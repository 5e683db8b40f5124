import { describe, expect, it } from 'vitest';
import { UNLIMITED } from '../budget.ts';
import { createTestRequest, type TestRequest } from '../testing.ts';
import { createMethodsEngine } from './methods-engine.ts';

const READ = ['GET', 'HEAD', 'OPTIONS'];
const ask = (allow: readonly string[], request: TestRequest) => {
  const verdict = createMethodsEngine({ allow }).decide(createTestRequest(request), UNLIMITED);
  return verdict.kind === 'allow' ? 'allow' : verdict.reason;
};

describe('a list of methods', () => {
  it.each([
    ['a listed method', READ, { method: 'GET' }, 'allow'],
    ['a method that is not listed', READ, { method: 'DELETE' }, 'method.not_allowed'],
    ['another spelling of a listed method', READ, { method: 'get' }, 'method.not_allowed'],
    ['HEAD where only GET is listed', ['GET'], { method: 'HEAD' }, 'method.not_allowed'],
    ['a method that the list names although no standard does', ['PURGE'], { method: 'PURGE' }, 'allow'],
    [
      'a header that overrides the method',
      ['POST'],
      { method: 'POST', headers: [['X-HTTP-Method-Override', 'delete']] },
      'method.not_allowed',
    ],
    [
      'another spelling of that header',
      ['POST'],
      { method: 'POST', headers: [['x_http_method_override', 'DELETE']] },
      'method.not_allowed',
    ],
    [
      'a header that overrides it by a listed one',
      ['POST', 'PUT'],
      { method: 'POST', headers: [['x-http-method', 'PUT']] },
      'allow',
    ],
    ['a parameter that overrides it', ['POST'], { method: 'POST', target: '/x?_method=DELETE' }, 'method.not_allowed'],
  ] as const)('judges %s', (_, allow, request, verdict) => {
    expect(ask(allow, request as TestRequest)).toBe(verdict);
  });

  it('judges a field of a body that overrides the method, if it may read it', () => {
    const { body } = createMethodsEngine({ allow: ['POST'] });
    const request = createTestRequest({
      method: 'POST',
      headers: [['content-type', 'application/x-www-form-urlencoded']],
    });
    expect(body?.wants(request)).toBe(true);
    expect(body?.decide(request, Buffer.from('a=1&_method=DELETE'), UNLIMITED)).toMatchObject({
      kind: 'block',
      reason: 'method.not_allowed',
      status: 403,
      detail: 'allowed are POST; the request overrides its method',
    });
    expect(body?.decide(request, Buffer.from('a=1'), UNLIMITED).kind).toBe('allow');
  });
});

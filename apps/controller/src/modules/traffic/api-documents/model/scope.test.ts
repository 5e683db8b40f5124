import { describe, expect, it } from 'vitest';
import { compileScope, parseHostPrefix, scopeOfServers } from './scope.ts';

const scope = (more: Partial<Parameters<typeof compileScope>[0]>) =>
  compileScope({ listener_name: '', host_prefixes: [], path_prefixes: [], ...more });
const place = (host: string, path = '/', listeners = ['web']) => ({ host, path, listeners });

describe('a scope', () => {
  it.each([
    ['example.com', 'example.com', true],
    ['example.com', 'api.example.com', true],
    ['example.com', 'evilexample.com', false],
    ['example.com', 'example.com.evil.test', false],
    ['EXAMPLE.com', 'example.com:8443', true],
    ['*.example.com', 'example.com', false],
    ['*.example.com', 'a.b.example.com', true],
    ['api.', 'api.example.com', true],
    ['api.', 'api2.example.com', false],
    ['api.', 'my.api.example.com', false],
    ['example.com:8443', 'example.com:8443', true],
    ['example.com:8443', 'example.com', false],
    ['example.com:443', 'example.com', true],
    ['example.com:443', 'example.com:8443', false],
    ['*.example.com:8443', 'a.example.com:8443', true],
    ['[::1]:8080', '[::1]:8080', true],
    ['[::1]', '[::1]:8080', true],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example', true],
    ['bücher.example', 'xn--bcher-kva.example', true],
  ])('with host %s and a request to %s: %s', (prefix, host, isIn) => {
    expect(scope({ host_prefixes: [prefix] }).matches(place(host))).toBe(isIn);
  });

  it.each([
    ['/v1', '/v1', true],
    ['/v1', '/v1/users', true],
    ['/v1', '/v10/users', false],
    ['/v1/', '/v1/users', true],
    ['/', '/anything', true],
  ])('with path %s and a request to %s: %s', (prefix, path, isIn) => {
    expect(scope({ path_prefixes: [prefix] }).matches(place('a.example', path))).toBe(isIn);
  });

  it('compares the name of the listener as a whole', () => {
    expect(scope({ listener_name: 'web' }).matches(place('a', '/', ['web-2', 'web']))).toBe(true);
    expect(scope({ listener_name: 'web' }).matches(place('a', '/', ['web-2']))).toBe(false);
  });

  it.each(['', '*', '*.', 'a.*.b', 'user@example.com', 'a b', 'https://example.com', 'example.com:99999', 'exa/mple'])(
    'does not accept %j as a host',
    (text) => {
      expect(parseHostPrefix(text)).toBeUndefined();
    },
  );
});

it('the scope of servers has no hosts or paths if one of them may be any', () => {
  expect(scopeOfServers([{ host: 'a.example', base: '/v1' }])).toEqual({
    host_prefixes: ['a.example'],
    path_prefixes: ['/v1'],
  });
  expect(
    scopeOfServers([
      { host: 'a.example', base: '/v1' },
      { host: null, base: '/v1' },
    ]),
  ).toEqual({
    host_prefixes: [],
    path_prefixes: ['/v1'],
  });
  expect(
    scopeOfServers([
      { host: 'a.example', base: '/v1' },
      { host: 'a.example', base: '' },
    ]),
  ).toEqual({
    host_prefixes: ['a.example'],
    path_prefixes: [],
  });
});

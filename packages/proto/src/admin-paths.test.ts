import { describe, expect, it } from 'vitest';
import {
  ADMIN_READ_PATHS,
  ADMIN_WRITE_PATHS,
  checkAdminCall,
  ENVOY_PARTS,
  operationOfPath,
  toAdminTarget,
} from './admin-paths.ts';

const isAllowed = (command: Record<string, unknown>) => checkAdminCall(command).ok;

describe('the paths of the admin interface', () => {
  // Written by hand, so that a path that is moved between the two is noticed.
  it('are these, and each is a read or a write', () => {
    expect(ADMIN_READ_PATHS.toSorted()).toEqual([
      '/certs',
      '/clusters',
      '/config_dump',
      '/envoy',
      '/hot_restart_version',
      '/listeners',
      '/memory',
      '/ready',
      '/runtime',
      '/server_info',
      '/stats',
    ]);
    expect(ADMIN_WRITE_PATHS.toSorted()).toEqual([
      '/healthcheck/fail',
      '/healthcheck/ok',
      '/logging',
      '/reopen_logs',
      '/reset_counters',
      '/runtime_modify',
    ]);
  });

  it.each([
    '/allocprofiler',
    '/contention',
    '/cpuprofiler',
    '/drain_listeners',
    '/heap_dump',
    '/heapprofiler',
    '/help',
    '/init_dump',
    '/memory/tcmalloc',
    '/peak_heap_dump',
    '/quitquitquit',
    '/stats/prometheus',
    '/stats/recentlookups',
    '/stats/recentlookups/clear',
    '/tap',
    '/',
    '',
  ])('do not include %j', (path) => {
    expect(operationOfPath(path)).toBeUndefined();
    expect(isAllowed({ path })).toBe(false);
  });

  it.each([
    '/stats/',
    '//stats',
    '/./stats',
    '/stats/../quitquitquit',
    '/clusters/../quitquitquit',
    '/%73tats',
    '/%2e%2e/stats',
    '/healthcheck%2Ffail',
    '/healthcheck//fail',
    '/STATS',
    '/Logging',
    'stats',
    ' /stats',
    '/stats ',
    '/stats?usedonly',
    '/logging?level=debug',
    '/stats#x',
    '/stats;x',
    '/stats\0',
    '/stats\r\nPOST /quitquitquit HTTP/1.1',
    '/stats\n',
    '/ſtats',
    '__proto__',
    'constructor',
  ])('are known in one spelling, which is not %j', (path) => {
    expect(operationOfPath(path)).toBeUndefined();
    expect(isAllowed({ path })).toBe(false);
  });

  it.each([undefined, null, 1, {}, ['/stats'], { toString: () => '/stats' }])('are texts, not %j', (path) => {
    expect(operationOfPath(path)).toBeUndefined();
    expect(isAllowed({ path })).toBe(false);
  });

  it('have a method that a caller may name but not change', () => {
    expect(isAllowed({ path: '/stats', method: 'GET' })).toBe(true);
    expect(isAllowed({ path: '/healthcheck/fail', method: 'POST' })).toBe(true);
    for (const method of ['POST', 'get', 'HEAD', '', null, 1, ['GET']])
      expect(isAllowed({ path: '/stats', method })).toBe(false);
    expect(isAllowed({ path: '/healthcheck/fail', method: 'GET' })).toBe(false);
  });
});

describe('the query parameters of an admin path', () => {
  it.each([
    ['/stats', { usedonly: 'true', filter: '^http\\.', type: 'Counters' }],
    ['/config_dump', { resource: 'dynamic_listeners', name_regex: 'a|b', include_eds: 'true' }],
    ['/envoy', { parts: 'stats,logging' }],
    ['/logging', { level: 'debug' }],
    ['/logging', { paths: 'http:debug,main:off' }],
    ['/runtime_modify', { 'health_check.min_interval': '5', emptied: '' }],
  ])('of %s may be %j', (path, queries) => {
    expect(checkAdminCall({ path, queries })).toMatchObject({ ok: true });
  });

  it.each([
    ['/stats', { format: 'html' }],
    ['/stats', { filter: '' }],
    ['/stats', { filter: 'a\r\nb' }],
    ['/stats', { filter: '\0' }],
    ['/stats', { filter: '\ud800' }],
    ['/stats', { filter: 'x'.repeat(257) }],
    ['/stats', { usedonly: '' }],
    ['/stats', { usedonly: true }],
    ['/stats', { type: 'counters' }],
    ['/stats', { Filter: 'x' }],
    ['/stats', { ['__proto__']: 'x' }],
    ['/stats', { toString: 'x' }],
    ['/stats', ['usedonly']],
    ['/stats', 'usedonly'],
    ['/stats', null],
    ['/config_dump', { mask: 'dynamic_active_secrets' }],
    ['/config_dump', { resource: 'bootstrap' }],
    ['/clusters', { format: 'json' }],
    ['/envoy', { parts: 'quitquitquit' }],
    ['/envoy', { parts: '' }],
    ['/envoy', { parts: 'stats,' }],
    ['/logging', {}],
    ['/logging', { level: 'DEBUG' }],
    ['/logging', { level: 'debug', paths: 'http:info' }],
    ['/logging', { http: 'debug' }],
    ['/logging', { group: 'http:debug' }],
    ['/logging', { paths: 'http:debug,' }],
    ['/logging', { paths: '*:debug' }],
    ['/healthcheck/fail', { x: '1' }],
    ['/runtime_modify', {}],
    ['/runtime_modify', { 'envoy.reloadable_features.x': 'false' }],
    ['/runtime_modify', { 'ENVOY.x': 'false' }],
    ['/runtime_modify', { envoy: 'false' }],
    ['/runtime_modify', { 're2.max_program_size.error_level': '1' }],
    ['/runtime_modify', { 'a&b': '1' }],
    ['/runtime_modify', { a: '1\n' }],
    ['/runtime_modify', Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`k${i}`, '1']))],
  ])('of %s may not be %j', (path, queries) => {
    expect(isAllowed({ path, queries })).toBe(false);
  });

  it('name the member that is wrong', () => {
    expect(checkAdminCall({ path: '/logging', queries: { level: 'loud' } })).toEqual({
      ok: false,
      error: { at: ['queries', 'level'], message: expect.stringContaining('one of trace, debug, info') },
    });
  });

  it('are escaped, so that a value never adds a parameter', () => {
    const queries = [['filter', 'a&usedonly=1#x y+%2e/?']] as const;
    expect(toAdminTarget({ path: '/stats', queries })).toBe('/stats?filter=a%26usedonly%3D1%23x%20y%2B%252e%2F%3F');
    expect(toAdminTarget({ path: '/ready', queries: [] })).toBe('/ready');
  });

  it('of /envoy select known paths only', () => {
    for (const part of ENVOY_PARTS) expect(operationOfPath(`/${part}`)).toBeDefined();
  });
});

import { describe, expect, it } from 'vitest';
import { countRoutes, readRouteTable } from './read-table.ts';
import { RouteNames } from './route-names.ts';

type Match = Readonly<Record<string, unknown>>;

const template = (path_template: string, more: Match = {}): Match => ({
  path_match_policy: { typed_config: { path_template } },
  ...more,
});
const regex = (text: string, more: Match = {}): Match => ({ safe_regex: { regex: text }, ...more });
const onMethod = (exact: string): Match => ({ headers: [{ name: ':method', string_match: { exact } }] });

interface Host {
  readonly domains?: readonly string[];
  readonly matches: readonly Match[];
}

function namesOf(hosts: readonly Host[], more: Match = {}): RouteNames {
  const virtual_hosts = hosts.map(({ domains = ['*'], matches }) => ({
    domains,
    routes: matches.map((match) => ({ match })),
  }));
  const table = readRouteTable({ virtual_hosts, ...more }, { resolve: (value) => value, room: 1000 });
  return new RouteNames({ tables: [table], places: { here: [0] } });
}

const ask = (names: RouteNames, path: string, { method = 'GET', authority = 'a.example' } = {}) =>
  names.find({ method, authority, path, place: 'here' });

const one = (match: Match, path: string) => ask(namesOf([{ matches: [match] }]), path);

describe('the name that a route gives', () => {
  it.each<[string, Match, string, string | undefined]>([
    ['an exact path', { path: '/users/123' }, '/users/123', '/users/123'],
    ['an exact path with a query', { path: '/users/123' }, '/users/123?a=/b', '/users/123'],
    ['an exact path and another one', { path: '/users/123' }, '/users/124', undefined],
    ['an exact path in other letters', { path: '/Users' }, '/users', undefined],
    ['an exact path of any letters', { path: '/Users', case_sensitive: false }, '/uSERS', '/Users'],
    ['an exact path with a brace', { path: '/a/{id}' }, '/a/{id}', '/a/%7Bid%7D'],
    ['a template', template('/users/{id}/orders/{order=*}'), '/users/7/orders/x', '/users/{id}/orders/{order}'],
    ['a template without a name', template('/users/*/orders'), '/users/7/orders', '/users/{dynamic}/orders'],
    ['a template of several segments', template('/{name=shops/*}/carts'), '/shops/7/carts', '/shops/{name}/carts'],
    ['a template of the rest', template('/files/{path=**}'), '/files/a/b', '/files/{path=**}'],
    ['a template of an unnamed rest', template('/files/**'), '/files/a/b', undefined],
    ['a template and a longer path', template('/users/{id}'), '/users/7/orders', undefined],
    ['a template with a name of ours', template('/{other}'), '/x', '/{dynamic}'],
    ['a template with text around a value', template('/reports/{id}.json'), '/reports/7.json', '/reports/{id}.json'],
    ['a template of two values in a segment', template('/p/{id}.{format}'), '/p/7.json', '/p/{id}.{format}'],
    ['a template with dots as a segment', template('/p/{id}/./x'), '/p/7/./x', undefined],
    ['a prefix', { prefix: '/api/' }, '/api/users', undefined],
    ['a prefix of segments itself', { path_separated_prefix: '/tenants/7' }, '/tenants/7', '/tenants/7'],
    ['a prefix of segments', { path_separated_prefix: '/tenants/7' }, '/tenants/7/users', undefined],
    ['a plain expression', regex('^/users/[^/]+/orders$'), '/users/7/orders', '/users/{dynamic}/orders'],
    ['an expression with digits', regex('/users/(\\d+)/?'), '/users/7/', '/users/{id}'],
    ['an expression with a named group', regex('/users/(?P<user>[a-z0-9-]+)'), '/users/a-7', '/users/{user}'],
    ['an expression and a path that it refuses', regex('/users/(?P<user>[a-z]+)'), '/users/7', undefined],
    ['an expression of everything', regex('/api/.*'), '/api/users', undefined],
    ['an expression whose value may have slashes', regex('/a/[a-z/]+'), '/a/b', undefined],
    ['an expression whose value may have slashes by a range', regex('/a/[+-9]+'), '/a/7', undefined],
    ['an expression whose value may be missing', regex('/a/[^/]*'), '/a/b', undefined],
    ['an expression with alternatives', regex('/(a|b)/c'), '/a/c', undefined],
    ['an expression with two values in a segment', regex('/\\d+-\\d+'), '/1-2', undefined],
    ['an expression with an optional character', regex('/users?'), '/users', undefined],
    ['an expression with a dot', regex('/v1\\.2/[^/]+'), '/v1.2/x', '/v1.2/{dynamic}'],
    ['an expression that is not read', regex('(?i)/users/[^/]+'), '/users/x', undefined],
  ])('to %s', (_, match, path, name) => {
    expect(one(match, path)).toBe(name);
  });

  it('is that of the first route that takes the request', () => {
    const names = namesOf([
      { matches: [{ path: '/users/me' }, { prefix: '/users/x' }, template('/users/{id}'), { prefix: '/' }] },
    ]);
    expect(ask(names, '/users/me')).toBe('/users/me');
    expect(ask(names, '/users/7')).toBe('/users/{id}');
    expect(ask(names, '/users/x7')).toBeUndefined();
  });

  it('is not that of a route behind one that takes everything', () => {
    expect(ask(namesOf([{ matches: [{ prefix: '/' }, template('/users/{id}')] }]), '/users/7')).toBeUndefined();
  });

  it('depends on the method, if the route does', () => {
    const matches = [
      template('/users/{id}', onMethod('GET')),
      template('/users/{user}', {
        headers: [{ name: ':method', string_match: { exact: 'DELETE' }, invert_match: true }],
      }),
      template('/users/{gone}'),
    ];
    const names = namesOf([{ matches }]);
    expect(ask(names, '/users/7')).toBe('/users/{id}');
    expect(ask(names, '/users/7', { method: 'POST' })).toBe('/users/{user}');
    expect(ask(names, '/users/7', { method: 'DELETE' })).toBe('/users/{gone}');
  });

  it('is given under conditions only if every route that may take the request agrees', () => {
    const canary = { headers: [{ name: 'x-canary', present_match: true }] };
    const agreed = namesOf([{ matches: [template('/users/{id}', canary), template('/users/{id}')] }]);
    expect(ask(agreed, '/users/7')).toBe('/users/{id}');
    const divided = namesOf([{ matches: [template('/users/{user}', canary), template('/users/{id}')] }]);
    expect(ask(divided, '/users/7')).toBeUndefined();
    const literal = namesOf([{ matches: [{ path: '/users/me', ...canary }, template('/users/{id}')] }]);
    expect(ask(literal, '/users/me')).toBe('/users/me');
  });

  it('belongs to one of two patterns that would share it, so that their paths stay apart', () => {
    const names = namesOf([{ matches: [regex('/users/[a-f]+'), regex('/users/[g-z]+')] }]);
    expect(ask(names, '/users/abc')).toBe('/users/{dynamic}');
    expect(ask(names, '/users/xyz')).toBeUndefined();
  });
});

describe('the virtual host of a request', () => {
  const hosts = [
    { domains: ['*'], matches: [template('/any/{a}')] },
    { domains: ['*.example'], matches: [template('/any/{b}')] },
    { domains: ['*.api.example'], matches: [template('/any/{c}')] },
    { domains: ['www.*'], matches: [template('/any/{d}')] },
    { domains: ['Exact.example', 'exact.example:8443'], matches: [template('/any/{e}')] },
  ];

  it.each([
    ['other.test', '/any/{a}'],
    ['x.example', '/any/{b}'],
    ['y.api.example', '/any/{c}'],
    ['www.test', '/any/{d}'],
    ['EXACT.EXAMPLE', '/any/{e}'],
    ['exact.example:8443', '/any/{e}'],
    ['exact.example:9000', '/any/{a}'],
    ['.example', '/any/{a}'],
  ])('%s has the name %s', (authority, name) => {
    expect(ask(namesOf(hosts), '/any/7', { authority })).toBe(name);
  });

  it('is found without the port if the routes ignore it', () => {
    const names = namesOf(hosts, { ignore_port_in_host_matching: true });
    expect(ask(names, '/any/7', { authority: 'exact.example:9000' })).toBe('/any/{e}');
  });

  it('is unknown if a header names it', () => {
    expect(ask(namesOf(hosts, { vhost_header: 'x-host' }), '/any/7')).toBeUndefined();
  });

  it('keeps its requests from other hosts, also without routes of its own', () => {
    const names = namesOf([...hosts, { domains: ['bare.example'], matches: [] }]);
    expect(ask(names, '/any/7', { authority: 'bare.example' })).toBeUndefined();
  });
});

describe('several route configurations of one listener', () => {
  const tableOf = (match: Match, domain = '*') =>
    readRouteTable(
      { virtual_hosts: [{ domains: [domain], routes: [{ match }] }] },
      { resolve: (value) => value, room: 9 },
    );
  const find = (tables: ReturnType<typeof tableOf>[], place = 'here') =>
    new RouteNames({ tables, places: { here: tables.map((_, index) => index) } }).find({
      method: 'GET',
      authority: 'a.example',
      path: '/users/7',
      place,
    });

  it('name a request only if they agree, so that the routes of one do not apply to requests of another', () => {
    expect(find([tableOf(template('/users/{id}')), tableOf(template('/users/{id}'))])).toBe('/users/{id}');
    expect(find([tableOf(template('/users/{id}')), tableOf({ prefix: '/' })])).toBeUndefined();
    expect(find([tableOf(template('/users/{id}')), tableOf({ prefix: '/' }, 'b.example')])).toBe('/users/{id}');
  });

  it('say nothing about requests of other places', () => {
    expect(find([tableOf(template('/users/{id}'))], 'elsewhere')).toBeUndefined();
  });
});

it('routes beyond the limit are left out, and their virtual hosts keep their requests', () => {
  const routes = (name: string) => [{ match: template(`/{${name}}`) }];
  const virtual_hosts = [
    { domains: ['*'], routes: routes('all') },
    { domains: ['a.example'], routes: routes('a') },
  ];
  const table = readRouteTable({ virtual_hosts }, { resolve: (value) => value, room: 1 });
  expect(countRoutes(table)).toBe(1);
  const names = new RouteNames({ tables: [table], places: { here: [0] } });
  expect(ask(names, '/7', { authority: 'b.example' })).toBe('/{all}');
  expect(ask(names, '/7', { authority: 'a.example' })).toBeUndefined();
});

it('hostile routes cost no more than linear time, and odd shapes are no routes', () => {
  const deep = regex(`/${'(a+)+'.repeat(30)}`);
  const names = namesOf([{ matches: [deep, ...Array.from({ length: 900 }, (_, at) => regex(`/x/[a-z]+-${at}`))] }]);
  expect(ask(names, `/${'a'.repeat(4000)}!`)).toBeUndefined();
  for (const odd of [
    null,
    7,
    [],
    { virtual_hosts: 'x' },
    { virtual_hosts: [null, { domains: [7], routes: [null] }] },
  ]) {
    expect(() => readRouteTable(odd, { resolve: (value) => value, room: 10 })).not.toThrow();
  }
});

it.each([
  ['/*-*-*-*-*-*/end', `/${'a-'.repeat(2000)}`],
  ['/{a}{b}{c}{d}', `/${'a'.repeat(4000)}!/`],
  ['/{path=**}/x', `/${'a/'.repeat(2000)}`],
  ['/{a=*}/{path=**}', `/${'a/'.repeat(2000)}^`],
])('a template with several values needs no more than linear time: %s', (path_template, path) => {
  expect(ask(namesOf([{ matches: [template(path_template)] }]), path)).toBeUndefined();
});

it('a newline in a method or a host does not give a request the name of another one', () => {
  const names = namesOf([{ domains: ['a.example'], matches: [template('/users/{id}', onMethod('GET'))] }]);
  expect(ask(names, '/users/7')).toBe('/users/{id}');
  expect(ask(names, '/users/7', { method: 'GET\na.example' })).toBeUndefined();
  expect(ask(names, '/users/7', { authority: 'b.example\na.example' })).toBeUndefined();
});

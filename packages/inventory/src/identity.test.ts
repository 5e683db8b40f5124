import { describe, expect, it } from 'vitest';
import { classifyAnswer } from './answer.ts';
import { Identifier, type Knowledge, type Request } from './identity.ts';
import { toTemplate } from './path-template.ts';
import { OperatorRules, type Rule } from './rules.ts';
import { readRouteTable } from './served/read-table.ts';
import { RouteNames } from './served/route-names.ts';
import { TemplateIndex } from './template-index.ts';

const request = (path: string, more: Partial<Request> = {}): Request => ({
  method: 'GET',
  authority: 'API.example.com:443',
  path,
  answer: 'answered',
  place: 'shop public',
  ...more,
});

function compile(...rules: Rule[]): OperatorRules {
  const compiled = OperatorRules.compile(rules);
  if (!compiled.ok) throw new Error(compiled.problems[0]?.message);
  return compiled.rules;
}

const DOCUMENT = ['/orders/{orderId}', '/orders/latest', '/caf%C3%A9/{id}.json'].map((path) => ({
  template: toTemplate('/v1', path) ?? '',
  method: 'GET',
  host: 'api.example.com',
}));

function tableOf(hosts: readonly { readonly domains: string[]; readonly templates: string[] }[]) {
  const virtual_hosts = hosts.map(({ domains, templates }) => ({
    domains,
    routes: templates.map((path_template) => ({ match: { path_match_policy: { typed_config: { path_template } } } })),
  }));
  return readRouteTable({ virtual_hosts }, { resolve: (value) => value, room: 100 });
}

const KNOWLEDGE: Knowledge = {
  routes: new RouteNames({
    tables: [
      tableOf([
        { domains: ['api.example.com:443'], templates: ['/v1/orders/{fromRoute}/items', '/static/{file=**}'] },
        { domains: ['other.example.com'], templates: ['/v1/orders/{order}/items'] },
      ]),
    ],
    places: { 'shop public': [0] },
  }),
  rules: compile({ regex: 'ord-[a-z]{3}', placeholder: '{id}' }),
  openApi: new TemplateIndex(DOCUMENT),
};

describe('the identity of an operation', () => {
  it.each([
    ['/v1/orders/ord-abc/items', '/v1/orders/{fromRoute}/items', 'route'],
    ['/static/js/app.js', '/static/{file=**}', 'route'],
    ['/static/../../etc/passwd', '/{traversal}', 'other'],
    ['/v1/orders/ord-abc', '/v1/orders/{orderId}', 'openapi'],
    ['/v1/orders/latest?full=1', '/v1/orders/latest', 'openapi'],
    ['/v1/caf%c3%a9/7.json', '/v1/café/{id}.json', 'openapi'],
    ['/carts/ord-xyz', '/carts/{id}', 'learned'],
    ['/carts/42', '/carts/{id}', 'learned'],
    ['/never/seen', '/{other}', 'other'],
    ['/a/../../etc/passwd', '/{traversal}', 'other'],
  ])('of %s is %s, from %s', (path, normalizedPath, source) => {
    const identifier = new Identifier(KNOWLEDGE);
    for (const seen of ['/carts/42', '/carts/ord-abc']) identifier.observe(request(seen));
    identifier.learner.settle();
    expect(identifier.identify(request(path))).toMatchObject({
      method: 'GET',
      host: 'api.example.com',
      normalizedPath,
      source,
    });
  });

  it('takes a template of another method or host for unknown', () => {
    const identifier = new Identifier(KNOWLEDGE);
    expect(identifier.identify(request('/v1/orders/7', { method: 'PUT' })).source).toBe('other');
    expect(identifier.identify(request('/v1/orders/7', { authority: 'other.example.com' })).source).toBe('other');
    expect(identifier.identify(request('/v1/orders/7/items', { authority: 'other.example.com' })).normalizedPath).toBe(
      '/v1/orders/{order}/items',
    );
  });

  it('names services and methods of gRPC, and nothing that only looks like it', () => {
    const identifier = new Identifier();
    const grpc = { method: 'POST', contentType: 'application/grpc+proto' };
    expect(identifier.identify(request('/shop.v1.Carts/Add', grpc))).toMatchObject({
      normalizedPath: '/shop.v1.Carts/Add',
      rpc: { protocol: 'grpc', service: 'shop.v1.Carts', method: 'Add' },
    });
    for (const odd of [
      request('/shop.v1.Carts/Add'),
      request('/a/b/c', grpc),
      request('/a b/c', grpc),
      request(`/${'a'.repeat(300)}/b`, grpc),
    ]) {
      expect(identifier.identify(odd).rpc).toBeUndefined();
    }
  });

  it('names GraphQL operations, at most 200 for an endpoint, and none that is no name', () => {
    const identifier = new Identifier();
    identifier.observe(request('/api/GraphQL', { method: 'POST' }));
    identifier.learner.settle();
    const nameOf = (graphqlOperation?: string): unknown =>
      identifier.identify(
        request('/api/GraphQL', { method: 'POST', ...(graphqlOperation === undefined ? {} : { graphqlOperation }) }),
      ).rpc;
    expect(nameOf('GetCart')).toEqual({ protocol: 'graphql', operation: 'GetCart' });
    expect(nameOf()).toEqual({ protocol: 'graphql', operation: '(anonymous)' });
    expect(nameOf('<script>')).toEqual({ protocol: 'graphql', operation: '(anonymous)' });
    for (let at = 0; at < 500; at++) nameOf(`Op${at}`);
    expect(nameOf('Op499')).toEqual({ protocol: 'graphql', operation: '(other)' });
    expect(nameOf('GetCart')).toEqual({ protocol: 'graphql', operation: 'GetCart' });
  });

  it('is found in bounded time among templates that overlap everywhere', () => {
    const templates = Array.from({ length: 4096 }, (_, bits) => ({
      template: `/${Array.from({ length: 12 }, (__, at) => ((bits >> at) & 1 ? 'a' : `{x}`)).join('/')}/end`,
    }));
    const index = new TemplateIndex(templates);
    expect(index.find('GET', 'h', [...Array.from({ length: 12 }, () => 'a'), 'nowhere'])).toBeUndefined();
    expect(index.find('GET', 'h', [...Array.from({ length: 12 }, () => 'a'), 'end'])).toBe(`/${'a/'.repeat(12)}end`);
  });
});

describe('classifyAnswer', () => {
  it.each([
    [200, true, 'answered'],
    [500, true, 'answered'],
    [302, true, 'answered'],
    [404, true, 'missing'],
    [200, false, 'missing'],
    [401, true, 'refused'],
    [0, true, 'refused'],
  ] as const)('of status %d (routed: %s) is %s', (status, isRouted, expected) => {
    expect(classifyAnswer({ status, isRouted })).toBe(expected);
  });
});

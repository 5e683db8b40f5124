import { describe, expect, it } from 'vitest';
import { classifyAnswer } from './answer.ts';
import { Identifier, type Knowledge, type Request } from './identity.ts';
import { toTemplate } from './path-template.ts';
import { planRewrite } from './rewrite-plan.ts';
import { OperatorRules, type Rule } from './rules.ts';
import { TemplateIndex } from './template-index.ts';

const request = (path: string, more: Partial<Request> = {}): Request => ({
  method: 'GET',
  authority: 'API.example.com:443',
  path,
  answer: 'answered',
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

const KNOWLEDGE: Knowledge = {
  routes: new TemplateIndex([
    { template: '/v1/orders/{fromRoute}/items', method: 'GET' },
    { template: '/static/**' },
    { template: '/v1/orders/{other}/items', host: 'other.example.com' },
  ]),
  rules: compile({ regex: 'ord-[a-z]{3}', placeholder: '{id}' }),
  openApi: new TemplateIndex(DOCUMENT),
};

describe('the identity of an operation', () => {
  it.each([
    ['/v1/orders/ord-abc/items', '/v1/orders/{fromRoute}/items', 'route'],
    ['/static/js/app.js', '/static/**', 'route'],
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
      '/v1/orders/{other}/items',
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

describe('the plan of a rewrite', () => {
  const name = (rules: OperatorRules) => (asked: { method: string; host: string; path: string }) => {
    const segments = asked.path.split('/').filter((segment) => segment !== '');
    return {
      method: asked.method,
      host: asked.host,
      normalizedPath: `/${segments.map((segment) => rules.placeholderFor(segment) ?? segment).join('/')}`,
    };
  };
  const operation = (normalizedPath: string) => ({ method: 'GET', host: 'h', normalizedPath });

  it('moves and merges operations when a rule is added', () => {
    const rules = compile({ regex: 'ord-[a-z]+', placeholder: '{id}' });
    const plan = planRewrite(['/o/ord-a', '/o/ord-b', '/users'].map(operation), [], {
      before: name(OperatorRules.NONE),
      after: name(rules),
    });
    expect(plan.renames).toEqual(
      ['/o/ord-a', '/o/ord-b'].map((from) => ({ kind: 'move', from: operation(from), to: operation('/o/{id}') })),
    );
    expect(plan.merged).toEqual([operation('/o/{id}')]);
    expect(plan.unchanged).toBe(1);
  });

  it('splits an operation by what was recorded when a rule is removed', () => {
    const rules = compile({ regex: 'ord-[a-z]+', placeholder: '{id}' });
    const recorded = [
      { method: 'GET', host: 'h', path: '/o/ord-a', count: 3 },
      { method: 'GET', host: 'h', path: '/o/ord-b', count: 9 },
    ];
    const plan = planRewrite([operation('/o/{id}'), operation('/p/{id}')], recorded, {
      before: name(rules),
      after: name(OperatorRules.NONE),
    });
    expect(plan.renames).toEqual([
      {
        kind: 'split',
        from: operation('/o/{id}'),
        to: [
          { operation: operation('/o/ord-b'), count: 9 },
          { operation: operation('/o/ord-a'), count: 3 },
        ],
      },
    ]);
    expect(plan.unchanged).toBe(1);
  });
});

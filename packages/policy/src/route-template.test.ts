import { describe, expect, it } from 'vitest';
import { readPath } from './path.ts';
import { DomainIndex } from './policy-index.ts';
import { findTemplateFault, TemplateRoutes, templateKeyOf, toTemplateName } from './route-template.ts';

function createRoutes(...templates: string[]): TemplateRoutes<string> {
  const routes = new TemplateRoutes<string>();
  for (const template of templates) routes.add(toTemplateName(template), template);
  return routes;
}

describe('a path template', () => {
  it.each([
    ['/orders/{id}', '/orders/7', true],
    ['/orders/{id}', '/orders/7/', true],
    ['/orders/{id}', '/orders/', false],
    ['/orders/{id}', '/orders', false],
    ['/orders/{id}', '/orders//', false],
    ['/orders/{id}', '/orders/7/items', false],
    ['/orders/{id}', '/ordersX/7', false],
    ['/orders/{id}', '/orders/7.json', true],
    ['/orders/{id}.json', '/orders/7.json', true],
    ['/orders/{id}.json', '/orders/.json', false],
    ['/orders/{id}.json', '/orders/7', false],
    ['/a.c/{id}', '/abc/1', false],
    ['/a(b|c)+$/{id}', '/a(b|c)+$/1', true],
    ['/a(b|c)+$/{id}', '/ab/1', false],
    ['/users', '/users', true],
    ['/users', '/users/', true],
    ['/users', '/users/1', false],
    ['/', '/', true],
    ['/', '/x', false],
  ])('%s and the path %s: matches is %s', (template, path, matches) => {
    expect(createRoutes(template).find(path)?.[0]).toBe(matches ? template : undefined);
  });

  it('with a text wins over one with a placeholder, in any order', () => {
    const templates = ['/users/{id}/orders', '/users/me/{part}', '/users/{id}', '/users/me'];
    for (const order of [templates, templates.toReversed()]) {
      const routes = createRoutes(...order);
      expect(routes.find('/users/me')).toEqual(['/users/me']);
      expect(routes.find('/users/7')).toEqual(['/users/{id}']);
      expect(routes.find('/users/me/orders')).toEqual(['/users/me/{part}']);
      expect(routes.find('/users/7/orders')).toEqual(['/users/{id}/orders']);
    }
  });

  it('that fails late in the tree falls back to a placeholder', () => {
    expect(createRoutes('/a/b/c', '/a/{x}/d').find('/a/b/d')).toEqual(['/a/{x}/d']);
  });

  it('has the same key as one with other names and a slash at its end', () => {
    expect(templateKeyOf('/orders/{id}/')).toBe(templateKeyOf('/orders//{order}'));
    expect(templateKeyOf('/orders/{id}')).not.toBe(templateKeyOf('/orders/id'));
  });

  it.each(['orders/{id}', '/a?b', '/a#b', '/a{b', '/a}', '/{a}{b}', '/{}', '/{a b}', '/%7Bid%7D', '/{other', '/{<b>}'])(
    'is refused: %s',
    (template) => {
      expect(findTemplateFault(template)).toBeTypeOf('string');
    },
  );
});

describe('a domain with templates', () => {
  const domain = new DomainIndex({
    hosts: [],
    policy: 'domain',
    routes: [
      { pathPrefix: '/orders/', policy: 'prefix' },
      { pathPrefix: toTemplateName('/orders/{id}'), policy: 'template' },
      { pathPrefix: toTemplateName('/Admin/{id}'), policy: 'capital' },
    ],
  });
  const find = (path: string) => domain.findPolicies(readPath(path));

  it('applies a template before a prefix, and the prefix to everything else below it', () => {
    expect(find('/orders/7')[0]).toBe('template');
    expect(find('/orders/7/items')[0]).toBe('prefix');
    expect(find('/other')[0]).toBe('domain');
  });

  it('applies a template to every reading of a path', () => {
    for (const path of [
      '/orders/%37',
      '/x/../orders/7',
      '/orders//7',
      '/ORDERS/7',
      '/orders/7;a=b',
      '/x/..%2forders/7',
    ]) {
      expect(find(path), path).toContain('template');
    }
    expect(find('/admin/1')).toContain('capital');
    expect(find('/ADMIN/1')).toContain('capital');
  });

  it('needs the readings of a path, because its table has prefixes only', () => {
    const bytes = Buffer.from('/orders/7');
    expect(domain.findPlain({ bytes, start: 0, end: bytes.length })).toBeUndefined();
  });
});

import SwaggerParser from '@apidevtools/swagger-parser';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createOpenapiDocument } from './document.ts';
import type { OperationFacts } from './operation-facts.ts';
import { toPathTemplate } from './path-template.ts';
import { toYaml } from './yaml-text.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');

function createFacts(name: string, more: Partial<OperationFacts> = {}): OperationFacts {
  const [method = 'GET', address = ''] = name.split(' ');
  const slash = address.indexOf('/');
  return {
    id: '0123456789abcdef',
    method: method as 'GET',
    host: address.slice(0, slash),
    normalizedPath: address.slice(slash),
    isRpc: false,
    urlSchemes: ['https'],
    statuses: ['200'],
    contentTypes: [],
    queryNames: [],
    schemes: [],
    posture: 'unknown',
    acceptsAnonymous: false,
    flags: [],
    pii: [],
    categories: [],
    seen: 1,
    risk: 0,
    postureRisk: 0,
    firstSeen: NOW.toISOString(),
    lastSeen: NOW.toISOString(),
    ...more,
  };
}

// biome-ignore lint/suspicious/noExplicitAny: tests read documents of any shape
const createDocument = (...facts: OperationFacts[]): any =>
  createOpenapiDocument(facts, { projectName: 'shop', now: NOW });

/** Throws unless it is a valid OpenAPI document. The validator changes what it gets. */
const validate = (document: object) => SwaggerParser.validate(structuredClone(document) as never);

describe('the path of a document', () => {
  it.each([
    ['/users/{id}/orders/{id}', '/users/{userId}/orders/{orderId}'],
    ['/users/{uuid}/friends/{uuid}/users/{id}', '/users/{userId}/friends/{friendId}/users/{userId2}'],
    ['/{id}/{id}', '/{id}/{id2}'],
    ['/v1/{id}', '/v1/{id}'],
    ['/logos/{dynamic}', '/logos/{logo}'],
    ['/api/password-resets/{token}', '/api/password-resets/{passwordResetToken}'],
    ['/categories/{id}.json', '/categories/{categoryId}.json'],
    ['/a b/<script>/ü', '/a%20b/%3Cscript%3E/%C3%BC'],
    ['/', '/'],
  ])('names the parameters of %s by what is before them: %s', (path, named) => {
    expect(toPathTemplate(path).path).toBe(named);
  });
});

describe('a document', () => {
  it('has the parameters, answers, types and schemes that were seen', async () => {
    const document = createDocument(
      createFacts('POST shop.example/users/{uuid}/orders/{id}', {
        statuses: ['201', '404', '204', '0', 'other'],
        contentTypes: ['application/json', 'no type'],
        queryNames: ['page', 'filter[name]'],
        schemes: ['jwt', 'mtls'],
        acceptsAnonymous: true,
        flags: ['unauthenticated'],
        risk: 7,
      }),
    );
    await validate(document);
    expect(document.openapi).toBe('3.0.3');
    expect(document.servers).toEqual([{ url: 'https://shop.example' }]);
    const item = document.paths['/users/{userId}/orders/{orderId}'];
    expect(item.parameters).toEqual([
      { name: 'userId', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
      { name: 'orderId', in: 'path', required: true, schema: { type: 'string' } },
    ]);
    expect(item.post).toMatchObject({
      operationId: 'post_users_userId_orders_orderId',
      parameters: [
        { name: 'filter[name]', in: 'query' },
        { name: 'page', in: 'query' },
      ],
      responses: {
        201: { description: 'Created', content: { 'application/json': {} } },
        204: { description: 'No Content' },
        404: { description: 'Not Found' },
      },
      // A client certificate cannot be expressed: nothing pretends to be one.
      security: [{ jwt: [] }, {}],
      'x-flotilla': [{ auth_schemes: ['jwt', 'mtls'], max_risk_score: 7, risk_flags: ['unauthenticated'] }],
    });
    expect(Object.keys(item.post.responses)).toEqual(['201', '204', '404']);
    expect(Object.keys(document.components.securitySchemes)).toEqual(['jwt']);
  });

  it('keeps both hosts of one path, each operation with its servers', async () => {
    const document = createDocument(
      createFacts('GET a.example/orders', { contentTypes: ['text/html'] }),
      createFacts('GET b.example:8443/orders', { urlSchemes: ['http', 'https'] }),
      createFacts('DELETE b.example:8443/orders'),
    );
    await validate(document);
    const item = document.paths['/orders'];
    const b = [{ url: 'https://b.example:8443' }, { url: 'http://b.example:8443' }];
    expect(item.servers).toEqual([{ url: 'https://a.example' }, ...b]);
    expect(item.get['x-flotilla'].map(({ host }: { host: string }) => host)).toEqual(['a.example', 'b.example:8443']);
    expect(item.get.servers).toBeUndefined();
    expect(item.delete.servers).toEqual([{ url: 'https://b.example:8443' }]);
  });

  it('merges paths that differ only in their placeholders', async () => {
    const document = createDocument(
      createFacts('GET a.example/users/{id}'),
      createFacts('GET a.example/users/{uuid}'),
      createFacts('PUT a.example/users/{uuid}'),
    );
    await validate(document);
    expect(Object.keys(document.paths)).toEqual(['/users/{userId}']);
    expect(document.paths['/users/{userId}'].get['x-flotilla']).toHaveLength(2);
    expect(document.paths['/users/{userId}'].parameters[0].schema).toEqual({ type: 'string' });
  });

  it('gives operations whose names would be the same different ids', async () => {
    const document = createDocument(createFacts('GET a.example/a-b'), createFacts('GET a.example/a/b'));
    await validate(document);
    expect(document.paths['/a-b'].get.operationId).toBe('get_a_b');
    expect(document.paths['/a/b'].get.operationId).toBe('get_a_b_2');
  });

  it('leaves out what OpenAPI cannot express, and says how much', async () => {
    const document = createDocument(
      createFacts('GET a.example/orders'),
      createFacts('CONNECT a.example/'),
      createFacts('OTHER a.example/orders'),
      createFacts('POST a.example/grpc.Service/Method', { isRpc: true }),
      createFacts('GET {invalid}/orders'),
      createFacts('GET a.example/{other}'),
    );
    await validate(document);
    expect(Object.keys(document.paths)).toEqual(['/orders']);
    expect(document['x-flotilla-omitted']).toBe(5);
  });

  it('without operations is valid', async () => {
    await validate(createDocument());
  });

  it('is valid for any operations, and the same in YAML', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom('{id}', '{uuid}', '..', 'null', '<script>', '- a: b', '# x', '&a *a', '"', "'", '\n---\n', '%7B'),
    );
    const facts = fc.record({
      method: fc.constantFrom('GET', 'POST', 'TRACE', 'OTHER'),
      host: fc.constantFrom('a.example', '[::1]:8080', '10.0.0.1', 'b_c.example'),
      path: fc.array(
        text.filter((one) => !/[/{}]/.test(one) || /^\{\w+\}$/.test(one)),
        { maxLength: 5 },
      ),
      statuses: fc.array(fc.constantFrom('0', '200', '404', '599', 'other'), { maxLength: 3 }),
      contentTypes: fc.array(fc.oneof(text, fc.constantFrom('text/html', '__proto__')), { maxLength: 3 }),
      queryNames: fc.uniqueArray(text, { maxLength: 3 }),
      schemes: fc.uniqueArray(fc.constantFrom('jwt', 'mtls', 'apikey', 'cookie', 'none'), { maxLength: 3 }),
      acceptsAnonymous: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(facts, { maxLength: 8 }), async (all) => {
        const document = createDocument(
          ...all.map(({ method, host, path, ...more }) =>
            createFacts(`${method} ${host}/`, {
              ...(more as Partial<OperationFacts>),
              normalizedPath: `/${path.join('/')}`,
            }),
          ),
        );
        await validate(document);
        expect(parse(toYaml(document))).toEqual(JSON.parse(JSON.stringify(document)));
        expect(parse(toYaml(document), { version: '1.1' })).toEqual(JSON.parse(JSON.stringify(document)));
      }),
      { numRuns: 30 },
    );
  }, 120_000);
});

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../testing/controller.ts';

const COPY = join(import.meta.dirname, '../../../../../docs/openapi.json');

let t: TestController;
beforeAll(async () => {
  // With the secret, this controller has every route that the document describes.
  t = await createTestController({ SVC_JWT_SECRET: 'a secret of this test, long enough for it' });
});
afterAll(() => t.close());

describe('the OpenAPI document', () => {
  it('matches docs/openapi.json, so that every change of the API is visible in review (GOLDEN=write rewrites it)', async () => {
    const served = (await t.app.inject({ url: '/api/openapi.json' })).json();
    if (process.env.GOLDEN === 'write') await writeFile(COPY, `${JSON.stringify(served, null, 2)}\n`);
    const copy = JSON.parse(await readFile(COPY, 'utf8'));
    expect(Object.keys(served.paths)).toEqual(Object.keys(copy.paths));
    for (const path of Object.keys(served.paths)) expect(served.paths[path], path).toEqual(copy.paths[path]);
    expect(served).toEqual(copy);
  });

  it('contains every route once, with its security', async () => {
    const served = (await t.app.inject({ url: '/api/openapi.json' })).json();
    const operations = Object.values(served.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
      (path) => Object.values(path),
    );
    expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual(
      t.controller.routes.map(({ contract }) => contract.id).toSorted(),
    );
    expect(served.openapi).toMatch(/^3\.1/);
    expect(served.paths['/api/v3/profile'].get.security).toEqual([{ bearer: [] }]);
    expect(served.paths['/auth/login'].post.security).toEqual([]);
  });

  it('describes every parameter and resolves every reference', async () => {
    const served = (await t.app.inject({ url: '/api/openapi.json' })).json();
    const silent = new Set<string>();
    for (const [path, methods] of Object.entries<
      Record<string, { parameters: { name?: string; description?: string }[] }>
    >(served.paths))
      for (const [method, { parameters }] of Object.entries(methods))
        for (const { name, description } of parameters)
          if (name !== undefined && !description) silent.add(`${method} ${path} ${name}`);
    expect([...silent]).toEqual([]);
    const references = new Set(JSON.stringify(served).match(/#\/[^"]+/g));
    for (const reference of references) {
      const target = reference
        .slice(2)
        .split('/')
        .reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], served);
      expect(target, reference).toBeDefined();
    }
    expect(references.size).toBeGreaterThan(50);
  });

  it('marks what is write-only and what is read-only', async () => {
    const { components, paths } = (await t.app.inject({ url: '/api/openapi.json' })).json();
    const { revision, name } = components.schemas.Group.properties;
    expect([revision.readOnly, name.readOnly]).toEqual([true, undefined]);
    const cloud = paths['/api/v3/setting/clouds/{cloud_name}'].post.requestBody.content['application/json'].schema;
    expect(JSON.stringify(cloud.properties.auth)).toContain('"writeOnly":true');
  });
});

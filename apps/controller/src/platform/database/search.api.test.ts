import type { RouteContract } from '@flotilla/contract';
import * as contract from '@flotilla/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type * as z from 'zod';
import { createTestController, type TestController } from '../../testing/controller.ts';

/** Every list with a search, except for those below another record. */
const LISTS = Object.entries(contract)
  .flatMap(([name, value]) => (name.endsWith('Routes') ? Object.values<RouteContract>(value as never) : []))
  .filter(({ method, path, query }) => method === 'GET' && !path.includes(':') && 'q' in shapeOf(query))
  .map((route) => [route.path, route] as const);

function shapeOf(schema: unknown): Readonly<Record<string, unknown>> {
  return (schema as z.ZodObject | undefined)?.shape ?? {};
}

let t: TestController;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t?.close());

it('there are lists with a search', () => {
  expect(LISTS.length).toBeGreaterThan(15);
});

it.each(LISTS)(
  '%s finds nothing for a text that occurs nowhere, whatever the text contains',
  async (path, { query }) => {
    const search = new URLSearchParams();
    if ('project' in shapeOf(query)) search.set('project', t.project);
    if ('version' in shapeOf(query)) search.set('version', '1.40.0');
    for (const q of [`zz' or ''='`, 'zz%_\\', 'zz"(', 'zz\u{1F980}']) {
      search.set('q', q);
      const { status, body } = await t.owner.call('GET', `${path}?${search}`);
      if (status === 200) expect(body.items ?? [], `${path} ${q}`).toEqual([]);
      else expect([status, body.code], `${path} ${q}`).toEqual([400, 'request.invalid']);
    }
  },
);

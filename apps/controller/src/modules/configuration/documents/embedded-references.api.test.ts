import { TEST_ENVOY_CACHE_DIR } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../../testing/controller.ts';
import { type DocumentCalls, document, documentCallsOf, GZIP, HTTP_CONNECTION_MANAGER } from './testing/documents.ts';

const COMPRESSOR = 'envoy.extensions.filters.http.compressor.v3.Compressor';

let t: TestController;
let calls: DocumentCalls;
beforeAll(async () => {
  t = await createTestController({ SVC_ENVOY_CACHE_DIR: TEST_ENVOY_CACHE_DIR });
  calls = documentCallsOf(t);
});
afterAll(() => t.close());

describe('$ref', () => {
  it('must fit the slot, must exist, and must name a filter or an extension', async () => {
    await calls.write('extensions', 'gzip-lib', {}, { type: GZIP });
    const hcm = (filter: object) => ({ stat_prefix: 'x', route_config: {}, http_filters: [filter] });
    const misfit = await calls.write('filters', 'hcm', hcm({ $ref: 'extensions/gzip-lib' }), {
      type: HTTP_CONNECTION_MANAGER,
    });
    expect(misfit.status).toBe(400);
    expect(misfit.body.details[0]).toMatchObject({ path: 'resource.http_filters[0]', rule: 'reference.slot' });
    expect(
      (await calls.write('filters', 'hcm', hcm({ $ref: 'filters/none' }), { type: HTTP_CONNECTION_MANAGER })).body
        .missing,
    ).toBe('filters/none');
    expect(
      (await calls.write('filters', 'hcm', hcm({ $ref: 'secrets/none' }), { type: HTTP_CONNECTION_MANAGER })).body.code,
    ).toBe('reference.invalid');
    expect(
      (await calls.write('filters', 'hcm', hcm({ $ref: '../x' }), { type: HTTP_CONNECTION_MANAGER })).body.code,
    ).toBe('reference.invalid');
  });

  it('may not form a cycle, not even over two writes', async () => {
    const log = (name: string) => ({
      stat_prefix: 'x',
      route_config: {},
      http_filters: [{ name: 'c', typed_config: { $ref: `filters/${name}` } }],
    });
    const self = await calls.apply([
      document('filters', 'narcissus', log('narcissus'), { type: HTTP_CONNECTION_MANAGER }),
    ]);
    expect(self.status).toBe(400);
    // A composite may nest any type, but an HTTP filter slot takes only HTTP filters, so the cycle goes through
    // matchers.
    const any = (name: string) => ({
      extension_config: { name: 'x', typed_config: { $ref: `extensions/${name}` } },
      xds_matcher: { on_no_match: { action: { name: 'x', typed_config: { $ref: `extensions/${name}` } } } },
    });
    const type = 'envoy.extensions.common.matching.v3.ExtensionWithMatcher';
    await calls.write('extensions', 'leaf', {}, { type: GZIP });
    expect((await calls.write('extensions', 'b', any('leaf'), { type })).status).toBe(201);
    expect((await calls.write('extensions', 'a', any('b'), { type })).status).toBe(201);
    const circle = await t.owner.call('PUT', calls.item('extensions', 'b'), { resource: any('a') });
    expect(circle.body.code).toBe('reference.cycle');
    expect(circle.body.message).toMatch(/extensions\/[ab] -> extensions\/[ab] -> extensions\/[ab]/);
  });

  it('may not form a graph that explodes when it is expanded', async () => {
    const type = 'envoy.extensions.common.matching.v3.ExtensionWithMatcher';
    const many = (name: string) => ({
      extension_config: { name: 'x', typed_config: { $ref: `extensions/${name}` } },
      xds_matcher: {
        matcher_list: {
          matchers: Array.from({ length: 10 }, () => ({
            predicate: {
              single_predicate: {
                input: { name: 'i', typed_config: { $ref: `extensions/${name}` } },
                value_match: { exact: 'x' },
              },
            },
            on_match: { action: { name: 'x', typed_config: { $ref: `extensions/${name}` } } },
          })),
        },
      },
    });
    const documents = [document('extensions', 'bush-0', {}, { type: GZIP })];
    for (let i = 1; i < 12; i += 1)
      documents.push(document('extensions', `bush-${i}`, many(`bush-${i - 1}`), { type }));
    const answer = await calls.apply(documents);
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe('reference.invalid');
  });

  it('protects its target: a filter in use cannot be deleted', async () => {
    await calls.write('extensions', 'gz', {}, { type: GZIP });
    const made = await calls.write(
      'filters',
      'compress',
      { compressor_library: { $ref: 'extensions/gz' } },
      { type: COMPRESSOR },
    );
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    expect((await t.owner.call('DELETE', calls.item('extensions', 'gz'))).body.users[0].name).toBe('compress');
  });
});

import { TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestFleet, TEST_VERSION, type TestFleet } from '../../../testing/fleet.ts';

let t: TestFleet;
beforeAll(async () => {
  t = await createTestFleet();
});
afterAll(() => t.close());

const ROUTER = 'envoy.extensions.filters.http.router.v3.Router';
const typeUrl = (type: string) => `type.googleapis.com/${type}`;
const create = (collection: string, name: string, more: object) =>
  t.owner.call('POST', `/api/v3/xds/${collection}?project=${t.project}`, { name, version: TEST_VERSION, ...more });

describe('content pasted from an Envoy configuration', () => {
  it('may contain its @type, which sets the type of the document (fault L3)', async () => {
    const content = { '@type': typeUrl(ROUTER), suppress_envoy_headers: true };
    const created = await create('filters', 'pasted', { resource: content });
    expect(created).toMatchObject({ status: 201, body: { type: ROUTER, resource: { suppress_envoy_headers: true } } });
    expect(created.body.resource).not.toHaveProperty('@type');
    expect((await create('filters', 'twice', { type: ROUTER, resource: content })).status).toBe(201);
    const check = { version: TEST_VERSION, collection: 'filters', name: 'checked', resource: content };
    const checked = await t.owner.call('POST', `/api/v3/schema/check?project=${t.project}`, check);
    expect(checked).toMatchObject({ status: 200, body: { errors: [] } });
  });

  it('is refused if its @type differs from its type, or if no type is given at all', async () => {
    const other = { '@type': typeUrl('envoy.extensions.filters.http.lua.v3.Lua') };
    expect((await create('filters', 'other', { type: ROUTER, resource: other })).status).toBe(400);
    const untyped = await create('filters', 'untyped', { resource: {} });
    expect(untyped.body.details).toEqual([
      { path: 'type', rule: 'required', message: expect.stringContaining(`such as ${ROUTER}`) },
    ]);
  });

  it.each([
    ['filters', 'envoy.config.cluster.v3.Cluster', 'is not a filter'],
    ['filters', 'envoy.extensions.access_loggers.file.v3.FileAccessLog', 'is not a filter'],
    ['extensions', 'envoy.config.cluster.v3.Cluster', 'has a collection of its own'],
  ])('is refused in %s if it is a %s (fault L4)', async (collection, type, message) => {
    const refused = await create(collection, 'wrong', { type, resource: {} });
    expect(refused).toMatchObject({ status: 400, body: { details: [{ path: 'type', message }] } });
  });
});

describe('a certificate or key that Envoy cannot load (fault L5)', () => {
  it('is stored with a warning at its field', async () => {
    const tls_certificate = {
      certificate_chain: { inline_string: '-----BEGIN CERTIFICATE-----\nrubbish\n-----END CERTIFICATE-----' },
      private_key: { inline_bytes: Buffer.from('rubbish').toString('base64') },
    };
    const created = await create('secrets', 'rubbish', { resource: { tls_certificate } });
    expect(created.status).toBe(201);
    expect(created.body.warnings).toEqual([
      {
        path: 'resource.tls_certificate.certificate_chain',
        rule: 'pem',
        message: 'is not a PEM certificate: Envoy will refuse it',
      },
      {
        path: 'resource.tls_certificate.private_key',
        rule: 'pem',
        message: 'is not an unencrypted PEM private key: Envoy will refuse it',
      },
    ]);
    expect(JSON.stringify(created.body)).not.toContain(Buffer.from('rubbish').toString('base64'));
  });
});

describe('a document of another Envoy version (fault L8)', () => {
  it('names its version in every message', async () => {
    const resource = { connect_timeout: '1s' };
    expect((await create('clusters', 'only-here', { resource })).status).toBe(201);
    const here = `only-here for Envoy ${TEST_VERSION}`;
    const again = await create('clusters', 'only-here', { resource });
    expect(again.body.message).toBe(`A cluster named ${here} already exists.`);
    const elsewhere = `project=${t.project}&version=${TEST_ENVOY_VERSIONS.oldest}`;
    for (const path of ['xds/clusters/only-here?', 'dependency/only-here?collection=clusters&']) {
      const missing = await t.owner.call('GET', `/api/v3/${path}${elsewhere}`);
      expect(missing.body.message, path).toBe(
        `There is no cluster only-here for Envoy ${TEST_ENVOY_VERSIONS.oldest} in this project.`,
      );
    }
  });
});

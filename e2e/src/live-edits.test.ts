import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServerCertificate, FleetOfOne, isFullTier, startLoad, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const KEY = { 'x-api-key': 'demo-key-for-loopback-only' };
const VERSION = TEST_ENVOY_VERSIONS.newest;
const UPSTREAM_NAME = 'upstream.example.com';
const EDITS = 20;
/** A busy machine does not answer a thousand a second, and a gap in the service is found by fewer, too. */
const PER_SECOND = isFullTier ? 1000 : 200;

let fleet: FleetOfOne;
let tlsUpstream: Server;
let certificatePem: string;

beforeAll(async () => {
  fleet = await FleetOfOne.start({ envoyVersion: VERSION });
  const certificate = await createServerCertificate(UPSTREAM_NAME);
  certificatePem = certificate.certificatePem;
  tlsUpstream = createServer({ cert: certificatePem, key: certificate.privateKeyPem }, (request, response) => {
    request.resume();
    response.end('over TLS');
  });
  await new Promise<void>((resolve) => tlsUpstream.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  tlsUpstream?.close();
  await fleet?.close();
});

function document(collection: string, name: string): string {
  return `/api/v3/xds/${collection}/${encodeURIComponent(name)}?version=${VERSION}`;
}

async function edit(
  url: string,
  change: (resource: Record<string, unknown>) => Record<string, unknown>,
): Promise<void> {
  const { body, etag } = await fleet.api('GET', url);
  const saved = await fleet.api('PUT', url, { resource: change(body.resource) }, { 'if-match': etag ?? '' });
  expect(saved.status, JSON.stringify(saved.body)).toBe(200);
}

function routeTo(cluster: string, round: string) {
  return (resource: Record<string, unknown>) => ({
    ...resource,
    response_headers_to_add: [{ header: { key: 'x-round', value: round } }],
    virtual_hosts: [
      {
        name: 'all',
        domains: ['*'],
        routes: [{ name: 'everything', match: { prefix: '/' }, route: { cluster, timeout: '15s' } }],
      },
    ],
  });
}

function tlsDocuments(port: number) {
  const secret = { name: 'upstream-ca', validation_context: { trusted_ca: { inline_string: certificatePem } } };
  const socket = {
    name: 'envoy.transport_sockets.tls',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
      sni: UPSTREAM_NAME,
      common_tls_context: { validation_context_sds_secret_config: { name: 'upstream-ca' } },
    },
  };
  const endpoint = { endpoint: { address: { socket_address: { address: '127.0.0.1', port_value: port } } } };
  return [
    { collection: 'secrets', name: 'upstream-ca', resource: secret },
    {
      collection: 'endpoints',
      name: 'tls-upstream',
      resource: { cluster_name: 'tls-upstream', endpoints: [{ lb_endpoints: [endpoint] }] },
    },
    {
      collection: 'clusters',
      name: 'tls-upstream',
      resource: {
        name: 'tls-upstream',
        type: 'EDS',
        // A busy machine needs seconds for the first handshakes.
        connect_timeout: '15s',
        eds_cluster_config: {},
        transport_socket: socket,
      },
    },
  ];
}

async function isLive(round: string): Promise<boolean> {
  return (await fleet.request('/open')).headers.get('x-round') === round;
}

describe(`editing a service with ${PER_SECOND} requests a second`, () => {
  it('fails, resets and refuses no request', async () => {
    const { project } = await fleet.state();
    const routes = document('routes', 'demo-routes');
    const load = startLoad({ port: fleet.ports.proxy, path: '/api/hello', headers: KEY, perSecond: 0.9 * PER_SECOND });
    const newcomers = startLoad({
      port: fleet.ports.proxy,
      path: '/open',
      perSecond: 0.1 * PER_SECOND,
      newConnections: true,
    });

    for (let round = 1; round <= EDITS; round += 1) await edit(routes, routeTo('demo-upstream', `edit-${round}`));
    await fleet.until(() => isLive(`edit-${EDITS}`), 'the last of the edits is live');

    const { port } = tlsUpstream.address() as AddressInfo;
    const applied = await fleet.api('POST', '/api/v3/xds/apply', {
      project,
      documents: tlsDocuments(port).map((one) => ({ ...one, version: VERSION })),
    });
    expect(applied.status, JSON.stringify(applied.body)).toBe(200);
    await edit(routes, routeTo('tls-upstream', 'tls'));
    await fleet.until(() => isLive('tls'), 'the route to the TLS cluster is live');
    expect((await fleet.request('/open')).text).toBe('over TLS');
    const deleted = await fleet.api('DELETE', document('clusters', 'demo-upstream'));
    expect(deleted.status, JSON.stringify(deleted.body)).toBe(204);

    await edit(document('listeners', 'demo-listener'), withHeaderFilter);
    await fleet.until(
      async () => (await fleet.request('/open')).headers.get('x-filter') === 'added',
      'the new filter is live',
    );

    for (const { statuses, failures } of [await load.stop(), await newcomers.stop()]) {
      expect(failures).toEqual([]);
      expect([...statuses.keys()]).toEqual([200]);
    }
  });

  it('refuses to delete a resource in use, and names its users', async () => {
    const refused = await fleet.api('DELETE', document('clusters', 'tls-upstream'));
    expect(refused.status).toBe(409);
    expect(refused.body.users).toEqual([expect.objectContaining({ collection: 'routes', name: 'demo-routes' })]);
  });
});

function withHeaderFilter(resource: Record<string, unknown>): Record<string, unknown> {
  const changed = structuredClone(resource) as {
    filter_chains: Array<{ filters: Array<{ typed_config: { http_filters: unknown[] } }> }>;
  };
  changed.filter_chains[0]?.filters[0]?.typed_config.http_filters.unshift({
    name: 'mark',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutation',
      mutations: { response_mutations: [{ append: { header: { key: 'x-filter', value: 'added' } } }] },
    },
  });
  return changed as unknown as Record<string, unknown>;
}

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { look, PROJECT, Stage } from './stage.ts';

const REQUEST_EVERY_MS = 100;
/** A sparkline has whole minutes: the first one ends, is reported, and is read again by the page. */
const FIRST_MINUTE_MS = 150_000;

let stage: Stage;
let upstream: Server;
let address: string;
let service: string;
let requests: NodeJS.Timeout;

beforeAll(async () => {
  stage = await Stage.open();
  upstream = createServer((request, response) => {
    response.statusCode = request.url === '/missing' ? 404 : 200;
    response.end('hello');
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  address = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  await useUpstream();
  await countVirtualHost();
  const { body } = await stage.fleet.api('GET', '/api/op/services');
  service = body.items[0].id;
  requests = setInterval(() => {
    for (const path of ['/open', '/missing']) void stage.fleet.request(path).catch(() => undefined);
  }, REQUEST_EVERY_MS);
});
afterAll(async () => {
  clearInterval(requests);
  upstream?.close();
  await stage?.close();
});

/** Lets the demo's cluster send its requests to the upstream of this test. */
async function useUpstream(): Promise<void> {
  const [host = '', port = ''] = address.split(':');
  const socket = { socket_address: { address: host, port_value: Number(port) } };
  await change('clusters/demo-upstream', (cluster) => ({
    ...cluster,
    type: 'STATIC',
    load_assignment: {
      cluster_name: 'demo-upstream',
      endpoints: [{ lb_endpoints: [{ endpoint: { address: socket } }] }],
    },
  }));
}

/** Envoy counts the requests of a virtual host only if it has virtual clusters. */
async function countVirtualHost(): Promise<void> {
  const every = { name: 'every', headers: [{ name: ':path', string_match: { prefix: '/' } }] };
  await change('routes/demo-routes', ({ virtual_hosts: [host], ...routes }) => ({
    ...routes,
    virtual_hosts: [{ ...host, virtual_clusters: [every] }],
  }));
}

// biome-ignore lint/suspicious/noExplicitAny: a document of Envoy
async function change(document: string, edit: (resource: any) => object): Promise<void> {
  const url = `/api/v3/xds/${document}?version=${TEST_ENVOY_VERSIONS.newest}`;
  const { body, etag } = await stage.fleet.api('GET', url);
  const saved = await stage.fleet.api('PUT', url, { resource: edit(body.resource) }, { 'if-match': etag ?? '' });
  expect(saved.status, JSON.stringify(saved.body)).toBe(200);
}

describe('requests through a proxy', () => {
  it('appear with their rate and status classes, in the list and on the page of the service (screen bug 22)', async () => {
    const { page, complaints, close } = await stage.open(`/p/${PROJECT}/services`);
    await page
      .getByRole('img', { name: /^Requests per second in the last 30 minutes: .*[1-9]/ })
      .waitFor({ timeout: FIRST_MINUTE_MS });
    await look(page, 'traffic-services');
    await page.goto(`/p/${PROJECT}/services/${service}?tab=traffic`);
    const chart = page.getByRole('figure', { name: /by status class/ });
    await chart.getByText('2xx').waitFor();
    await chart.getByText('4xx').waitFor();
    await page.getByText(new RegExp(`curl -i http://.*:${stage.fleet.ports.proxy}/`)).waitFor();
    const hosts = page.getByRole('region', { name: 'Virtual hosts', exact: true });
    await hosts.getByText('demo-routes/all').waitFor();
    await page.getByRole('region', { name: 'Route configurations' }).getByText('demo-routes').waitFor();
    await look(page, 'traffic-service-light');
    await chart.getByRole('button', { name: 'Table' }).click();
    await chart.getByRole('region').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('show Degraded with cluster and endpoint when the upstream stops (screen bug 2)', async () => {
    upstream.closeAllConnections();
    upstream.close();
    const { page, complaints, close } = await stage.open(`/p/${PROJECT}/services/${service}`, { scheme: 'dark' });
    await page.getByText('Degraded', { exact: true }).first().waitFor({ timeout: FIRST_MINUTE_MS });
    const problems = page.getByRole('region', { name: 'Problems' });
    await problems.getByText(/demo-upstream/).waitFor();
    await problems.getByText(address).waitFor();
    await look(page, 'traffic-degraded-dark');
    await page.goto(`/p/${PROJECT}/services/${service}?tab=traffic`);
    await page.getByRole('rowheader', { name: address }).waitFor();
    await look(page, 'traffic-service-dark');
    await page.goto(`/p/${PROJECT}/overview`);
    await page.getByRole('alert').getByText('1 service is degraded').waitFor();
    await look(page, 'traffic-overview-dark');
    expect(complaints).toEqual([]);
    await close();
  });
});

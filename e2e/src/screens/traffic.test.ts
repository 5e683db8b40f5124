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
  const url = `/api/v3/xds/clusters/demo-upstream?version=${TEST_ENVOY_VERSIONS.newest}`;
  const { body, etag } = await stage.fleet.api('GET', url);
  const [host = '', port = ''] = address.split(':');
  const socket = { socket_address: { address: host, port_value: Number(port) } };
  const resource = {
    ...body.resource,
    type: 'STATIC',
    load_assignment: {
      cluster_name: 'demo-upstream',
      endpoints: [{ lb_endpoints: [{ endpoint: { address: socket } }] }],
    },
  };
  const saved = await stage.fleet.api('PUT', url, { resource }, { 'if-match': etag ?? '' });
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

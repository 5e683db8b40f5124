import { randomUUID } from 'node:crypto';
import { TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { shareFurnishedStage } from './shared-stage.ts';
import { expectAccessible, look, PROJECT, type Stage, settle } from './stage.ts';

const VERSION = TEST_ENVOY_VERSIONS.newest;

let stage: Stage;

beforeAll(async () => {
  stage = (await shareFurnishedStage()).stage;
});

interface StoreOptions {
  readonly prefix?: string;
  readonly type?: string;
}

/** Stores a document under a name that no other attempt uses. */
async function store(collection: string, resource: object, { prefix = '', type }: StoreOptions = {}) {
  const name = `${prefix}compact-${randomUUID().slice(0, 8)}`;
  const own = collection === 'virtual_hosts' ? name.slice(prefix.length) : name;
  const body = { name, version: VERSION, ...(type ? { type, resource } : { resource: { name: own, ...resource } }) };
  const made = await stage.fleet.api('POST', `/api/v3/xds/${collection}`, body);
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return { collection, name, path: `/p/${PROJECT}/resources/${collection}/${VERSION}/${encodeURIComponent(name)}` };
}

type Stored = Awaited<ReturnType<typeof store>>;

async function read({ collection, name }: Stored) {
  const path = `/api/v3/xds/${collection}/${encodeURIComponent(name)}?version=${VERSION}`;
  return (await stage.fleet.api('GET', path)).body.resource;
}

const row = (page: Page, path: string) => page.locator(`[data-at="${path}"]`);
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function open(page: Page, ...paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const header = row(page, path).locator('button[aria-expanded]').first();
    await header.waitFor();
    if ((await header.getAttribute('aria-expanded')) === 'false') await header.press('Enter');
  }
}

async function save(page: Page, { name }: Stored): Promise<void> {
  await button(page, 'Review and save').click();
  const dialog = page.getByRole('dialog', { name: `Save ${name}?` });
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** Pastes as a keyboard does: the event first, and the text only if nobody took the event. */
async function paste(page: Page, text: string): Promise<void> {
  const taken = await page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    return document.activeElement?.dispatchEvent(event) === false;
  }, text);
  if (!taken) await page.keyboard.insertText(text);
}

const endpoint = (address: string, port_value: number, more: object = {}) => ({
  endpoint: { address: { socket_address: { address, port_value } } },
  ...more,
});
const cluster = (endpoints: readonly object[]) => ({
  type: 'STATIC',
  connect_timeout: '1s',
  load_assignment: { cluster_name: 'compact', endpoints },
});

describe('the endpoints of a cluster', () => {
  it('are lines of host, port and weight that take pasted lists and keep what they do not show', async () => {
    const kept = { health_status: 'DRAINING', load_balancing_weight: 2 };
    const group = { priority: 0, locality: { zone: 'a' }, lb_endpoints: [endpoint('192.0.2.1', 80, kept)] };
    const stored = await store('clusters', cluster([group]));
    const { page, complaints, close } = await stage.open(stored.path);
    await open(page, 'load_assignment', 'load_assignment.endpoints');
    expect(await field(page, 'Host of endpoint 1').inputValue()).toBe('192.0.2.1');
    expect(await field(page, 'Weight of endpoint 1').inputValue()).toBe('2');
    await page.getByText('Also set: health_status.').waitFor();
    await field(page, 'Port of endpoint 1').fill('70000');
    await expect.poll(() => field(page, 'Port of endpoint 1').getAttribute('aria-invalid')).toBe('true');
    await field(page, 'Port of endpoint 1').fill('8081');
    await button(page, 'Add endpoint').press('Enter');
    await expect
      .poll(() => field(page, 'Host of endpoint 2').evaluate((at) => at === document.activeElement))
      .toBe(true);
    await paste(page, '192.0.2.2:8082:3\n[2001:db8::1]:8083\n\n192.0.2.4:8084:1\n');
    await page.getByText('3 endpoints pasted.').waitFor();
    expect(await field(page, 'Host of endpoint 3').inputValue()).toBe('[2001:db8::1]');
    await button(page, 'Remove endpoint 4').click();
    await field(page, 'Host of endpoint 4').waitFor({ state: 'detached' });
    await look(page, 'compact-endpoints');
    await expectAccessible(page, 'endpoints as lines');
    await save(page, stored);
    expect((await read(stored)).load_assignment.endpoints).toEqual([
      {
        ...group,
        lb_endpoints: [
          endpoint('192.0.2.1', 8081, kept),
          endpoint('192.0.2.2', 8082, { load_balancing_weight: 3 }),
          endpoint('2001:db8::1', 8083),
        ],
      },
    ]);
    expect(complaints).toEqual([]);
    await close();
  });

  it('have all fields one click away, and stay there if lines cannot show them', async () => {
    const simple = await store('clusters', cluster([{ lb_endpoints: [endpoint('192.0.2.1', 80)] }]));
    const first = await stage.open(simple.path);
    await open(first.page, 'load_assignment', 'load_assignment.endpoints');
    await field(first.page, 'Host of endpoint 1').waitFor();
    await first.page.getByText('All fields', { exact: true }).click();
    await row(first.page, 'load_assignment.endpoints[0]').waitFor();
    await first.page.getByText('Compact', { exact: true }).click();
    await field(first.page, 'Host of endpoint 1').waitFor();
    await first.close();

    const two = await store('clusters', cluster([{ priority: 0 }, { priority: 1 }]));
    const second = await stage.open(two.path);
    await open(second.page, 'load_assignment', 'load_assignment.endpoints');
    await second.page.getByText('There are 2 groups of endpoints, and it shows only one.').waitFor();
    await row(second.page, 'load_assignment.endpoints[1]').waitFor();
    await second.close();
  });

  it('are refused as host names in a type that takes only addresses, which one click changes', async () => {
    const stored = await store('clusters', cluster([{ lb_endpoints: [endpoint('192.0.2.1', 80)] }]));
    const { page, close } = await stage.open(stored.path);
    await open(page, 'load_assignment', 'load_assignment.endpoints');
    await field(page, 'Host of endpoint 1').fill('a.example.com');
    await page.getByText('a cluster of the type STATIC takes only IP addresses').waitFor();
    expect(await field(page, 'Host of endpoint 1').getAttribute('aria-invalid')).toBe('true');
    await look(page, 'compact-host-name');
    await expectAccessible(page, 'a host name in a static cluster');
    await button(page, 'Change the type to STRICT_DNS').press('Enter');
    await page.getByText('takes only IP addresses').waitFor({ state: 'detached' });
    await save(page, stored);
    expect(await read(stored)).toMatchObject({ type: 'STRICT_DNS', load_assignment: { endpoints: [{}] } });
    await close();
  });

  it('fit a phone in the dark theme', async () => {
    const stored = await store('clusters', cluster([{ lb_endpoints: [endpoint('192.0.2.1', 80)] }]));
    const { page, close } = await stage.open(stored.path, { width: 390, scheme: 'dark' });
    await open(page, 'load_assignment', 'load_assignment.endpoints');
    await field(page, 'Host of endpoint 1').waitFor();
    await settle(page);
    const overflow = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    await expect.poll(overflow).toBeLessThanOrEqual(0);
    await look(page, 'compact-endpoints-phone');
    await expectAccessible(page, 'endpoints on a phone');
    await close();
  });
});

const SECRET = { prefix: 'a-' };
const ADS = { ads: {}, resource_api_version: 'V3' };
const TLS = 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3';
const socketOf = (type: string, context: object) => ({
  transport_socket: {
    name: 'envoy.transport_sockets.tls',
    typed_config: { '@type': `${TLS}.${type}`, ...context },
  },
});
const CONTEXT = 'transport_socket.typed_config';

describe('TLS', () => {
  it('of a filter chain is a certificate of the project, a requirement, a version and protocols', async () => {
    const chain = { certificate_chain: { filename: 'files/a.crt' }, private_key: { filename: 'files/a.key' } };
    const certificate = await store('secrets', { tls_certificate: chain }, SECRET);
    const authorities = await store(
      'secrets',
      { validation_context: { trusted_ca: { filename: 'files/ca' } } },
      SECRET,
    );
    const kept = {
      require_sni: true,
      common_tls_context: { tls_params: { cipher_suites: ['ECDHE-RSA-AES128-GCM-SHA256'] } },
    };
    const address = { socket_address: { address: '127.0.0.1', port_value: 18443 } };
    const proxy = { '@type': 'type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy' };
    const filters = [{ name: 'tcp', typed_config: { ...proxy, stat_prefix: 'tcp', cluster: 'demo-upstream' } }];
    const chains = [{ filters, ...socketOf('DownstreamTlsContext', kept) }];
    const stored = await store('listeners', { address, filter_chains: chains });
    const { page, complaints, close } = await stage.open(stored.path);
    await open(page, 'filter_chains', 'filter_chains[0]', 'filter_chains[0].transport_socket');
    await page.getByText('Also set: require_sni, cipher_suites.').waitFor();
    await page.getByText('A certificate is required.').waitFor();
    const input = field(page, 'Certificate');
    await input.click();
    await page.getByRole('option', { name: certificate.name }).click();
    expect(await page.getByRole('option', { name: authorities.name }).count()).toBe(0);
    await page.getByText('A certificate is required.').waitFor({ state: 'detached' });
    await field(page, 'Client certificate required').press('Space');
    await page.getByText('Without authorities, every client certificate is accepted.').waitFor();
    await field(page, 'Authorities of clients').fill(authorities.name);
    await field(page, 'Oldest version').selectOption('TLS 1.3');
    await field(page, 'Protocols (ALPN)').pressSequentially('h2, http/1.1');
    await page.getByText('Checked', { exact: true }).waitFor();
    await look(page, 'compact-tls-listener');
    await expectAccessible(page, 'TLS of a listener');
    await save(page, stored);
    const { filter_chains } = await read(stored);
    expect(filter_chains[0].transport_socket).toEqual(
      socketOf('DownstreamTlsContext', {
        ...kept,
        require_client_certificate: true,
        common_tls_context: {
          tls_params: { ...kept.common_tls_context.tls_params, tls_minimum_protocol_version: 'TLSv1_3' },
          tls_certificate_sds_secret_configs: [{ name: certificate.name, sds_config: ADS }],
          validation_context_sds_secret_config: { name: authorities.name, sds_config: ADS },
          alpn_protocols: ['h2', 'http/1.1'],
        },
      }).transport_socket,
    );
    expect(complaints).toEqual([]);
    await close();
  });

  it('of a cluster keeps the key that is stored in the document, and says so', async () => {
    const pair = { certificate_chain: { filename: 'files/a.crt' }, private_key: { inline_string: 'hidden' } };
    const context = { common_tls_context: { tls_certificates: [pair] } };
    const stored = await store('clusters', { ...cluster([]), ...socketOf('UpstreamTlsContext', context) });
    const { page, complaints, close } = await stage.open(stored.path, { scheme: 'dark' });
    await open(page, 'transport_socket');
    await page.getByText('Here is 1 certificate written in the document.').waitFor();
    await page.getByText('The certificate of the server is not verified.').waitFor();
    await field(page, 'Server name (SNI)').fill('a.example.com');
    await page.getByText('Here is 1 certificate').scrollIntoViewIfNeeded();
    await look(page, 'compact-tls-cluster');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByText('Here is 1 certificate').scrollIntoViewIfNeeded();
    await look(page, 'compact-tls-phone');
    await expectAccessible(page, 'TLS of a cluster on a phone');
    await page.setViewportSize({ width: 1280, height: 844 });
    await save(page, stored);
    const after = await read(stored);
    expect(after.transport_socket.typed_config).toMatchObject({ sni: 'a.example.com' });
    const path = `/api/v3/xds/clusters/${stored.name}?version=${VERSION}`;
    const { body } = await stage.fleet.api('GET', path);
    expect(body.private.map((part: { path: string }) => part.path)).toEqual([
      `resource.${CONTEXT}.common_tls_context.tls_certificates[0].private_key`,
    ]);
    await page.getByText('All fields', { exact: true }).click();
    await row(page, `${CONTEXT}.common_tls_context`).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});

describe('the routes of a virtual host', () => {
  it('are lines of match and cluster, in an order that keys and buttons change', async () => {
    const main = `compact-${randomUUID().slice(0, 8)}`;
    await stage.fleet.api('POST', '/api/v3/xds/routes', { name: main, version: VERSION, resource: { name: main } });
    const redirect = { match: { path: '/old' }, redirect: { path_redirect: '/new' } };
    const all = { match: { prefix: '/' }, route: { cluster: 'demo-upstream', timeout: '5s' } };
    const stored = await store('virtual_hosts', { domains: ['*'], routes: [all, redirect] }, { prefix: `${main}/` });
    const { page, complaints, close } = await stage.open(stored.path);
    await open(page, 'routes');
    await page.getByText('Route 1 matches every path before this one.').waitFor();
    await button(page, 'Add route').press('Enter');
    const match = field(page, 'Match of route 3');
    await expect.poll(() => match.evaluate((at) => at === document.activeElement)).toBe(true);
    await match.fill('/api');
    await field(page, 'Kind of match of route 3').selectOption('Path separated prefix');
    await field(page, 'Cluster of route 3').fill('demo-upstream');
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Alt+ArrowUp');
    const moved = field(page, 'Cluster of route 1');
    await expect.poll(() => moved.evaluate((at) => at === document.activeElement)).toBe(true);
    expect(await field(page, 'Match of route 1').inputValue()).toBe('/api');
    await button(page, 'Move route 3 up').click();
    await page.getByText('Route 3 is now route 2.').waitFor();
    expect(await page.getByText('matches every path').count()).toBe(0);
    await look(page, 'compact-routes');
    await page.setViewportSize({ width: 390, height: 844 });
    await look(page, 'compact-routes-phone');
    await expectAccessible(page, 'routes on a phone');
    await page.setViewportSize({ width: 1280, height: 844 });
    await save(page, stored);
    expect((await read(stored)).routes).toEqual([
      { match: { path_separated_prefix: '/api' }, route: { cluster: 'demo-upstream' } },
      redirect,
      all,
    ]);
    expect(complaints).toEqual([]);
    await close();
  });
});

describe('the HTTP filters of a connection manager', () => {
  it('are lines in their order, which the mouse changes, and a new one goes before the router', async () => {
    const filter = (type: string, name: string, more: object = {}) => ({
      name,
      typed_config: { '@type': `type.googleapis.com/envoy.extensions.filters.http.${type}` },
      ...more,
    });
    const router = filter('router.v3.Router', 'envoy.filters.http.router');
    const web = filter('grpc_web.v3.GrpcWeb', 'web', { is_optional: true });
    const manager = { stat_prefix: 'compact', route_config: { name: 'inline' }, http_filters: [web, router] };
    const type = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
    const stored = await store('filters', manager, { type });
    const { page, complaints, close } = await stage.open(stored.path);
    await open(page, 'http_filters');
    await page.getByText('Also set: is_optional.').waitFor();
    await button(page, 'Add filter').click();
    const picker = page.getByRole('dialog', { name: 'Search extensions' });
    await picker.getByRole('combobox').fill('envoy.filters.http.cors');
    await picker.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    const added = field(page, 'Name of filter 2');
    await expect.poll(() => added.evaluate((at) => at === document.activeElement)).toBe(true);
    await added.fill('cross');
    const line = (number: number) => page.getByRole('group', { name: `Filter ${number}`, exact: true });
    await line(3).locator('[data-handle]').dragTo(line(1));
    await page.getByText('The router must be the last filter.').waitFor();
    await expectAccessible(page, 'filters as lines');
    await page.keyboard.press('Control+z');
    await page.getByText('The router must be the last filter.').waitFor({ state: 'detached' });
    await line(2).locator('[data-handle]').dragTo(line(1));
    await page.getByText('Filter 2 is now filter 1.').waitFor();
    await field(page, 'Filter 2 is on').press('Space');
    await look(page, 'compact-filters');
    await page.setViewportSize({ width: 390, height: 844 });
    await look(page, 'compact-filters-phone');
    await page.setViewportSize({ width: 1280, height: 844 });
    await save(page, stored);
    expect((await read(stored)).http_filters).toEqual([
      filter('cors.v3.Cors', 'cross'),
      { ...web, disabled: true },
      router,
    ]);
    expect(complaints).toEqual([]);
    await close();
  });
});

describe('the health checks of a cluster', () => {
  it('are lines of kind, target and timing, and a kind comes back with its settings', async () => {
    const kept = { path: '/healthz', host: 'example.com' };
    const check = { timeout: '1s', interval: '5s', unhealthy_threshold: 3, healthy_threshold: 2 };
    const stored = await store('clusters', { ...cluster([]), health_checks: [{ ...check, http_health_check: kept }] });
    const { page, complaints, close } = await stage.open(stored.path);
    await open(page, 'health_checks');
    await page.getByText('Also set: host.').waitFor();
    const kind = field(page, 'Kind of health check 1');
    await kind.selectOption('TCP');
    await field(page, 'Path of health check 1').waitFor({ state: 'detached' });
    await kind.selectOption('HTTP');
    await page.getByText('Also set: host.').waitFor();
    await field(page, 'Path of health check 1').fill('/ready');
    await field(page, 'Interval of health check 1').fill('soon');
    await page.getByText('Interval must be a duration above zero, such as 5s.').waitFor();
    await field(page, 'Interval of health check 1').fill('1m');
    await button(page, 'Add health check').click();
    await field(page, 'Kind of health check 2').selectOption('gRPC');
    await field(page, 'Service of health check 2').fill('api');
    await look(page, 'compact-checks');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await look(page, 'compact-checks-phone');
    await page.setViewportSize({ width: 1280, height: 844 });
    await save(page, stored);
    expect((await read(stored)).health_checks).toEqual([
      { ...check, interval: '60s', http_health_check: { ...kept, path: '/ready' } },
      {
        timeout: '5s',
        interval: '10s',
        unhealthy_threshold: 3,
        healthy_threshold: 2,
        grpc_health_check: { service_name: 'api' },
      },
    ]);
    expect(complaints).toEqual([]);
    await close();
  });
});

describe('the virtual hosts of a route configuration', () => {
  it('are lines of name and domains, which must be unique, and lead to their routes', async () => {
    const respond = { match: { prefix: '/' }, direct_response: { status: 204 } };
    const first = { name: 'first', domains: ['a.example.com'], routes: [respond], require_tls: 'ALL' };
    const stored = await store('routes', { virtual_hosts: [first] });
    const { page, complaints, close } = await stage.open(stored.path);
    await open(page, 'virtual_hosts');
    await page.getByText('Also set: require_tls.').waitFor();
    await button(page, 'Add virtual host').click();
    await field(page, 'Name of virtual host 2').fill('second');
    const domains = field(page, 'Domains of virtual host 2');
    await domains.pressSequentially('b.example.com, A.example.com');
    await page.getByText('Domain A.example.com belongs to virtual host 1.').waitFor();
    expect(await domains.inputValue()).toBe('b.example.com, A.example.com');
    await domains.fill('b.example.com, *.b.example.com');
    await page.getByText('belongs to virtual host 1').waitFor({ state: 'detached' });
    await look(page, 'compact-hosts');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await look(page, 'compact-hosts-phone');
    await page.setViewportSize({ width: 1280, height: 844 });
    await button(page, '1 route of virtual host 1').click();
    await field(page, 'Match of route 1').fill('/api');
    await save(page, stored);
    expect((await read(stored)).virtual_hosts).toEqual([
      { ...first, routes: [{ ...respond, match: { prefix: '/api' } }] },
      { name: 'second', domains: ['b.example.com', '*.b.example.com'] },
    ]);
    expect(complaints).toEqual([]);
    await close();
  });
});

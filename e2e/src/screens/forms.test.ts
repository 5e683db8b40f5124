import { userRoutes } from '@flotilla/contract';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  choose,
  chooseView,
  hasFocus,
  open,
  readDocument,
  row,
  save,
  search,
  storeCluster,
  storeDocument,
  textOf,
} from './document-form.ts';
import type { Owner } from './owner.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { expectAccessible, PROJECT, type Stage, settle, takePicture } from './stage.ts';

const CONNECTION_MANAGER = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';

let stage: Stage;
let owner: Owner;

beforeAll(async () => {
  const shared = await shareFurnishedStage();
  stage = shared.stage;
  owner = shared.places.owner;
  // The virtual hosts below belong to this route configuration.
  await store('routes', 'main', { name: 'main' });
});

function store(collection: string, name: string, resource: object, type?: string): Promise<string> {
  return storeDocument(stage, { collection, name, resource, type });
}

const read = (collection: string, name: string) => readDocument(stage, collection, name);
const overflowOf = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

describe('an empty form', () => {
  it('creates a listener with an HTTP connection manager, routes and a router, whose name is typed only once', async () => {
    const { page, complaints, close } = await stage.open(`/p/${PROJECT}/resources/listeners/new?starter=empty`);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('by-form');
    expect(await row(page, 'name').count()).toBe(0);
    await open(page, 'address');
    await choose(page, 'address.address', 'Socket address');
    await textOf(page, 'address.socket_address.address').fill('127.0.0.1');
    await choose(page, 'address.socket_address.port_specifier', 'Port value');
    await textOf(page, 'address.socket_address.port_value').fill('18080');
    await open(page, 'filter_chains');
    await page.getByRole('button', { name: 'Add to Filter chains' }).click();
    await open(page, 'filter_chains[0].filters');
    await page.getByRole('button', { name: 'Add to Filters' }).click();
    await search(page, 'Search extensions', 'http connection');
    await page.keyboard.press('Enter');

    const manager = 'filter_chains[0].filters[0].typed_config';
    await textOf(page, `${manager}.stat_prefix`).fill('ingress');
    await choose(page, `${manager}.route_specifier`, 'Route config');
    const routes = `${manager}.route_config.virtual_hosts`;
    await open(page, routes);
    await row(page, routes).getByText('All fields', { exact: true }).click();
    await page.getByRole('button', { name: 'Add to Virtual hosts' }).click();
    await textOf(page, `${routes}[0].name`).fill('all');
    await open(page, `${routes}[0].domains`);
    await page.getByRole('button', { name: 'Add to Domains' }).click();
    await page.keyboard.type('*');
    await open(page, `${routes}[0].routes`);
    await row(page, `${routes}[0].routes`).getByText('All fields', { exact: true }).click();
    await page.getByRole('button', { name: 'Add to Routes' }).click();
    const route = `${routes}[0].routes[0]`;
    await open(page, `${route}.match`);
    await choose(page, `${route}.match.path_specifier`, 'Prefix');
    await textOf(page, `${route}.match.prefix`).fill('/');
    await choose(page, `${route}.action`, 'Direct response');
    await textOf(page, `${route}.direct_response.status`).fill('204');
    await open(page, `${manager}.http_filters`);
    await page.getByRole('button', { name: 'Add filter' }).click();
    await search(page, 'Search extensions', 'router');
    await page.keyboard.press('Enter');
    await page.getByLabel('Name of filter 1').waitFor();
    await expect.poll(() => page.getByText('Checked', { exact: true }).count()).toBe(1);
    await takePicture(page, 'form-listener');
    await expectAccessible(page, 'a form of many levels');

    const asked = page.waitForResponse((answer) => answer.url().includes('dry_run=true'));
    await page.getByRole('button', { name: 'Review and create' }).click();
    expect((await asked).status()).toBe(200);
    const dialog = page.getByRole('dialog', { name: 'Create listener by-form?' });
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: 'by-form', level: 1 }).waitFor();
    const { resource } = await read('listeners', 'by-form');
    expect(resource).toMatchObject({
      name: 'by-form',
      address: { socket_address: { address: '127.0.0.1', port_value: 18080 } },
    });
    expect(resource.filter_chains[0].filters[0].typed_config).toMatchObject({
      '@type': `type.googleapis.com/${CONNECTION_MANAGER}`,
      route_config: { virtual_hosts: [{ name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' } }] }] },
      http_filters: [{ name: 'envoy.filters.http.router' }],
    });
    expect(complaints).toEqual([]);
    await close();
  });

  it('keeps the input of one arm of a oneof while another is shown', async () => {
    const { page, close } = await stage.open(`/p/${PROJECT}/resources/listeners/new?starter=empty`);
    await open(page, 'address');
    await choose(page, 'address.address', 'Socket address');
    await textOf(page, 'address.socket_address.address').fill('192.0.2.7');
    await choose(page, 'address.address', 'Pipe');
    await textOf(page, 'address.pipe.path').fill('/run/envoy.sock');
    expect(await row(page, 'address.socket_address').count()).toBe(0);
    await choose(page, 'address.address', 'Socket address');
    expect(await textOf(page, 'address.socket_address.address').inputValue()).toBe('192.0.2.7');
    await choose(page, 'address.address', 'Pipe');
    expect(await textOf(page, 'address.pipe.path').inputValue()).toBe('/run/envoy.sock');
    await close();
  });
});

describe('lists and maps', () => {
  it('can be changed with the keyboard alone: items added, duplicated, moved, removed', async () => {
    const resource = {
      name: 'listed',
      domains: ['a.example', 'b.example'],
      routes: [{ match: { prefix: '/' }, direct_response: { status: 204 } }],
    };
    const { page, close } = await stage.open(await store('virtual_hosts', 'main/listed', resource));
    await open(page, 'domains');
    const press = async (name: string) => {
      const button = row(page, 'domains').getByRole('button', { name, exact: true });
      await button.focus();
      await page.keyboard.press('Enter');
    };
    const domains = async () => {
      const fields = await row(page, 'domains').getByRole('textbox').all();
      return Promise.all(fields.map((field) => field.inputValue()));
    };
    await textOf(page, 'domains[0]').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => hasFocus(textOf(page, 'domains[1]'))).toBe(true);
    await page.keyboard.type('new.example');
    expect(await domains()).toEqual(['a.example', 'new.example', 'b.example']);
    await press('Duplicate item 3');
    await expect.poll(domains).toEqual(['a.example', 'new.example', 'b.example', 'b.example']);
    await press('Remove item 3');
    await expect.poll(domains).toEqual(['a.example', 'new.example', 'b.example']);
    await press('Move item 2 up');
    await expect.poll(domains).toEqual(['new.example', 'a.example', 'b.example']);
    await row(page, 'routes').locator('button[aria-expanded]').first().focus();
    await page.keyboard.press('Control+z');
    await expect.poll(domains).toEqual(['a.example', 'new.example', 'b.example']);
    await expectAccessible(page, 'a list of a form');
    await save(page, 'main/listed');
    expect((await read('virtual_hosts', 'main/listed')).resource.domains).toEqual([
      'a.example',
      'new.example',
      'b.example',
    ]);
    await close();
  });

  it('report a duplicate key, and delete no pair because of it', async () => {
    const metadata = { filter_metadata: { one: { a: 1 }, two: { b: 2 } } };
    const { page, close } = await stage.open(await storeCluster(stage, 'mapped', { metadata }));
    await open(page, 'metadata', 'metadata.filter_metadata');
    const key = page.getByRole('textbox', { name: 'Key' }).nth(1);
    await key.fill('one');
    await key.press('Enter');
    await page.getByText('Key must be unique').waitFor();
    expect(await key.getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByRole('textbox', { name: 'Key' }).count()).toBe(2);
    await key.fill('three');
    await key.press('Enter');
    await save(page, 'mapped');
    expect((await read('clusters', 'mapped')).resource.metadata.filter_metadata).toEqual({
      one: { a: 1 },
      three: { b: 2 },
    });
    await close();
  });
});

describe('fields', () => {
  it('can be found at any depth; durations are parsed as people write them, and 64-bit numbers stay exact', async () => {
    const headers = [{ name: 'x-count', range_match: { start: '1', end: '5' } }];
    const resource = {
      name: 'numbers',
      domains: ['*'],
      routes: [{ match: { prefix: '/', headers }, route: { cluster: 'demo-upstream', timeout: '5s' } }],
    };
    const { page, close } = await stage.open(await store('virtual_hosts', 'main/numbers', resource));
    const find = async (text: string) => {
      await page.getByRole('button', { name: 'Find a field' }).click();
      await search(page, 'Search all fields', text);
      await page.keyboard.press('Enter');
    };
    await find('range match end');
    const end = textOf(page, 'routes[0].match.headers[0].range_match.end');
    await expect.poll(() => hasFocus(end)).toBe(true);
    await end.fill('9223372036854775807');
    await find('route timeout');
    const timeout = textOf(page, 'routes[0].route.timeout');
    await expect.poll(() => hasFocus(timeout)).toBe(true);
    await timeout.fill('1m 500ms');
    await page.keyboard.press('Tab');
    await save(page, 'main/numbers');
    const [route] = (await read('virtual_hosts', 'main/numbers')).resource.routes;
    expect(route.match.headers[0].range_match.end).toBe('9223372036854775807');
    expect(route.route.timeout).toBe('60.500s');
    await close();
  });

  it('are offered last with a mark if they are deprecated, and not at all if Envoy refuses them', async () => {
    const resource = {
      name: 'limited',
      domains: ['*'],
      rate_limits: [{ actions: [{ generic_key: { descriptor_value: 'all' } }] }],
      routes: [{ match: { prefix: '/' }, direct_response: { status: 204 } }],
    };
    const { page, close } = await stage.open(await store('virtual_hosts', 'main/limited', resource));
    await page
      .getByRole('button', { name: /^Add field/ })
      .last()
      .click();
    const option = await search(page, 'Search fields of VirtualHost', 'per_request_buffer_limit_bytes');
    expect(await option.textContent()).toContain('deprecated');
    await page.keyboard.press('Enter');
    await row(page, 'per_request_buffer_limit_bytes').getByText('deprecated').first().waitFor();
    const action = 'rate_limits[0].actions[0]';
    await open(page, 'rate_limits', 'rate_limits[0]', 'rate_limits[0].actions', action);
    await row(page, `${action}.action_specifier`).getByRole('button').first().click();
    const picker = page.getByRole('dialog');
    await picker.getByRole('option', { name: /^Metadata/ }).waitFor();
    expect(await picker.getByRole('option', { name: /^Dynamic metadata/ }).count()).toBe(0);
    await expectAccessible(page, 'a list of choices');
    await close();
  });

  it('with errors are opened and get the focus, at any depth', async () => {
    const { page, close } = await stage.open(`${await storeCluster(stage, 'at-fault')}?view=yaml`);
    const code = page.getByRole('textbox', { name: 'Document' });
    await code.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText(
      '\ncircuit_breakers:\n  thresholds:\n    - retry_budget:\n        budget_percent:\n          value: 300\n',
    );
    await page.getByRole('alert').getByText('1 error', { exact: true }).waitFor();
    await expectAccessible(page, 'code with an error');
    await chooseView(page, 'Form');
    await page.getByRole('button', { name: /budget_percent/ }).click();
    const value = textOf(page, 'circuit_breakers.thresholds[0].retry_budget.budget_percent.value');
    await expect.poll(() => hasFocus(value)).toBe(true);
    expect(await value.getAttribute('aria-invalid')).toBe('true');
    await value.fill('30');
    await page.getByRole('alert').getByText('1 error', { exact: true }).waitFor({ state: 'detached' });
    await close();
  });
});

describe('an extension of a field', () => {
  it('can be found by its title and its canonical name, and may be a stored document', async () => {
    await store('filters', 'shared-router', {}, 'envoy.extensions.filters.http.router.v3.Router');
    const resource = { stat_prefix: 'http', route_config: { name: 'inline' } };
    const { page, close } = await stage.open(await store('filters', 'manager', resource, CONNECTION_MANAGER));
    await open(page, 'http_filters');
    const add = page.getByRole('button', { name: 'Add filter' });
    await add.click();
    expect(await (await search(page, 'Search extensions', 'Fault')).textContent()).toContain(
      'envoy.filters.http.fault',
    );
    const byName = await search(page, 'Search extensions', 'envoy.filters.http.local_ratelimit');
    expect(await byName.textContent()).toContain('Local rate limit');
    const stored = await search(page, 'Search extensions', 'shared-router');
    expect(await stored.textContent()).toContain('filters/shared-router');
    await page.keyboard.press('Enter');
    const link = row(page, 'http_filters').getByRole('link', { name: /filters\/shared-router/ });
    expect(await link.getAttribute('href')).toContain('/resources/filters/1.40.0/shared-router');
    await save(page, 'manager');
    expect((await read('filters', 'manager')).resource.http_filters).toEqual([{ $ref: 'filters/shared-router' }]);
    await close();
  });
});

describe('the form', () => {
  it('is read-only for people who may not write', async () => {
    const path = await storeCluster(stage, 'looked-upon');
    const viewer = await owner.addMember('viewer');
    const { page, complaints, close } = await stage.open(path, { user: viewer });
    const timeout = textOf(page, 'connect_timeout');
    await timeout.waitFor();
    expect(await timeout.isEditable()).toBe(false);
    for (const name of ['Add field', 'Review and save', 'Actions']) {
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
    }
    await expectAccessible(page, 'a form for reading');
    await chooseView(page, 'YAML');
    const code = page.getByRole('textbox', { name: 'Document' });
    await code.getByText('looked-upon').waitFor();
    expect(await code.getAttribute('aria-readonly')).toBe('true');
    expect(complaints).toEqual([]);
    await close();
    await owner.call(userRoutes.delete, { params: { user_id: viewer.id }, query: {} });
  });

  it('fits a phone at every depth', async () => {
    const circuit_breakers = { thresholds: [{ retry_budget: { budget_percent: { value: 30 } } }] };
    const path = await storeCluster(stage, 'on-a-phone', { circuit_breakers });
    const { page, close } = await stage.open(path, { width: 390 });
    await open(page, 'circuit_breakers', 'circuit_breakers.thresholds', 'circuit_breakers.thresholds[0]');
    await open(page, 'circuit_breakers.thresholds[0].retry_budget');
    expect(await overflowOf(page)).toBe(0);
    await page
      .getByRole('button', { name: /^Add field/ })
      .last()
      .click();
    await search(page, 'Search fields of Cluster', 'dns');
    expect(await overflowOf(page)).toBe(0);
    await takePicture(page, 'form-phone');
    await expectAccessible(page, 'a form on a phone');
    await page.keyboard.press('Escape');
    await chooseView(page, 'JSON');
    await page.getByRole('textbox', { name: 'Document' }).getByText('retry_budget').waitFor();
    expect(await overflowOf(page)).toBe(0);
    await close();
  });
});

describe('a private value', () => {
  it('is never shown, stays if left empty, is replaced by a new one, and is cleared on request', async () => {
    const first = 'the-first-secret-of-all';
    const second = 'another-one-in-its-place';
    const resource = { name: 'private', generic_secret: { secret: { inline_string: first } } };
    const path = await store('secrets', 'private', resource);
    const partOf = async () => (await read('secrets', 'private')).private[0];
    const made = await partOf();
    const { page, close } = await stage.open(path);
    await row(page, 'generic_secret').first().waitFor();
    await open(page, 'generic_secret');
    await page
      .getByText(/Set, hidden|leave it empty to keep it/)
      .first()
      .waitFor();
    expect(await page.content()).not.toContain(first);
    await expectAccessible(page, 'a form with a stored secret');

    await page.getByRole('textbox', { name: 'Description' }).fill('kept');
    await save(page, 'private');
    expect(await partOf()).toEqual(made);

    await open(page, 'generic_secret', 'generic_secret.secret');
    await choose(page, 'generic_secret.secret.specifier', 'Inline string');
    await textOf(page, 'generic_secret.secret.inline_string').fill(second);
    await page.getByRole('button', { name: 'Review and save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save private?' });
    await dialog.getByRole('button', { name: 'Save', exact: true }).waitFor();
    expect(await dialog.textContent()).not.toContain(second);
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await settle(page);
    await expect.poll(() => page.content()).not.toContain(second);
    const replaced = await partOf();
    expect(replaced.path).toBe(made.path);
    expect(replaced.updated_at).not.toBe(made.updated_at);
    await page.getByRole('button', { name: /^Clear the stored/ }).click();
    await page.getByText('The stored value is cleared when you save').waitFor();
    await save(page, 'private');
    expect((await read('secrets', 'private')).private).toEqual([]);
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).not.toContain(second);
    await close();
  });
});

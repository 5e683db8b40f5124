import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findFreePorts } from '@flotilla/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT, Stage, type StagePage, signIn, takePicture } from './stage.ts';

/**
 * One person, from the sign-in to a blocked request, using only the screens. The proxy shows what is true. Each step continues where the
 * previous one ended.
 */
let stage: Stage;
let opened: StagePage;
let page: Page;
let upstream: Server;
let proxyPort = 0;

/** The raw key is replaced by its digest when the policy is stored. */
const POLICY = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata:
  name: shop-guard
spec:
  defaults:
    mode: block
    fail_mode: fail_close
  domains:
    - hosts: ["*"]
      routes:
        - match: { path_prefix: / }
          policy:
            engines:
              api_key:
                keys:
                  - key: key-of-the-story
                    subject: shopper
`;

const NEW = (collection: string) => `/p/${PROJECT}/resources/${collection}/new?view=yaml`;

beforeAll(async () => {
  stage = await Stage.open();
  upstream = createServer((_, response) => response.end('from the shop'));
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  [proxyPort = 0] = await findFreePorts(1);
  opened = await stage.open('/', { user: undefined });
  page = opened.page;
});
afterAll(async () => {
  await opened?.close();
  await stage?.close();
  upstream?.close();
});

/** Sends a request through the proxy on its own connection; returns undefined if nothing listens. */
async function visit(headers: Record<string, string> = {}): Promise<{ status: number; text: string } | undefined> {
  try {
    const url = `http://127.0.0.1:${proxyPort}/`;
    const answer = await fetch(url, { headers: { connection: 'close', host: 'shop.example.com', ...headers } });
    return { status: answer.status, text: await answer.text() };
  } catch {
    return undefined;
  }
}

/** Replaces the whole document in the code view, like pasting. */
async function writeCode(name: string | RegExp, document: unknown): Promise<void> {
  const code = page.getByRole('textbox', { name });
  await code.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(typeof document === 'string' ? document : JSON.stringify(document, null, 2));
}

async function create(collection: string, name: string, resource: unknown): Promise<void> {
  await page.goto(NEW(collection));
  await page.getByRole('textbox', { name: 'Name' }).first().fill(name);
  await writeCode('Document', resource);
  await page.getByText('Checked').waitFor();
  await page.getByRole('button', { name: 'Review and create' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await page.getByRole('region', { name: 'Progress of the change' }).getByText('No deployed service uses it').waitFor();
}

describe('one person on the screens', () => {
  it('signs in', async () => {
    await signIn(page, await stage.admin());
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });

  it('creates a cluster, a route configuration and a listener', async () => {
    const { port } = upstream.address() as AddressInfo;
    await create('clusters', 'shop', {
      name: 'shop',
      type: 'STATIC',
      connect_timeout: '1s',
      load_assignment: {
        cluster_name: 'shop',
        endpoints: [
          {
            lb_endpoints: [{ endpoint: { address: { socket_address: { address: '127.0.0.1', port_value: port } } } }],
          },
        ],
      },
    });
    await create('routes', 'shop-routes', {
      name: 'shop-routes',
      virtual_hosts: [
        { name: 'shop', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: 'shop' } }] },
      ],
    });
    await create('listeners', 'shop-http', {
      name: 'shop-http',
      address: { socket_address: { address: '127.0.0.1', port_value: proxyPort } },
      filter_chains: [
        {
          filters: [
            {
              name: 'envoy.filters.network.http_connection_manager',
              typed_config: {
                '@type':
                  'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
                stat_prefix: 'shop',
                rds: { route_config_name: 'shop-routes', config_source: { ads: {}, resource_api_version: 'V3' } },
                http_filters: [
                  {
                    name: 'envoy.filters.http.router',
                    typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
                  },
                ],
              },
            },
          ],
        },
      ],
    });
  });

  it('creates a service of them and deploys it', async () => {
    await page.goto(`/p/${PROJECT}/services/new`);
    await page.getByRole('textbox', { name: 'Name' }).fill('shop');
    await choose('Proxy version', '1.40.0');
    await choose('Bootstrap', 'demo-bootstrap');
    await choose('Listeners', 'shop-http');
    await page.keyboard.press('Escape');
    await choose('Add clients', 'this-machine');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Review' }).click();
    await page
      .getByRole('region', { name: /Nothing.*As it will be stored/ })
      .getByText('this-machine')
      .waitFor();
    await takePicture(page, 'story-review-of-a-service');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('button', { name: 'Deploy now' }).click();
    const dialog = page.getByRole('dialog', { name: /Deploy: shop/ });
    await dialog.getByRole('button', { name: /^Deploy on 1 client/ }).click();
    await dialog.getByText('Done').first().waitFor({ timeout: 90_000 });
    await takePicture(page, 'story-deployed');
    await page.keyboard.press('Escape');
  });

  it('sees it live on the screen and at the proxy', async () => {
    await page.getByRole('tab', { name: /Nodes/ }).click();
    await page.getByText('Live').first().waitFor();
    await stage.fleet.until(async () => (await visit())?.status === 200, 'the proxy serves the shop');
    expect((await visit())?.text).toBe('from the shop');
    await takePicture(page, 'story-live');
  });

  it('breaks it, and reads the message of Envoy, while traffic continues', async () => {
    await page.goto(`/p/${PROJECT}/resources/routes/1.40.0/shop-routes?view=yaml`);
    await writeCode('Document', {
      name: 'shop-routes',
      virtual_hosts: [
        {
          name: 'shop',
          domains: ['*'],
          routes: [{ match: { safe_regex: { regex: '(' } }, route: { cluster: 'shop' } }],
        },
      ],
    });
    await saveDocument('shop-routes');
    const progress = page.getByRole('region', { name: 'Progress of the change' });
    await progress.getByText('Refused').first().waitFor();
    await progress
      .getByText(/missing/)
      .first()
      .waitFor();
    await takePicture(page, 'story-refused');
    expect((await visit())?.status).toBe(200);
    await page.goto(`/p/${PROJECT}/overview`);
    await page.getByText(/refuses a change/).waitFor();
    await takePicture(page, 'story-overview-alarmed');
  });

  it('restores the previous revision, and it is live again', async () => {
    await page.goto(`/p/${PROJECT}/resources/routes/1.40.0/shop-routes?tab=history`);
    await page.getByRole('button', { name: /^Revision 1/ }).click();
    await page.getByRole('button', { name: 'Restore revision 1' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore', exact: true }).click();
    await page.getByRole('region', { name: 'Progress of the change' }).getByText('Live').first().waitFor();
    expect((await visit())?.text).toBe('from the shop');
  });

  it('protects it with a policy', async () => {
    await page.goto(`/p/${PROJECT}/policies/new`);
    await page.getByRole('textbox', { name: 'Name' }).fill('shop-guard');
    await writeCode('Security policy', POLICY);
    await page.getByRole('button', { name: 'Review and create' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'shop-guard' }).waitFor();

    const { body } = await stage.fleet.api('GET', '/api/op/services?name=shop');
    await page.goto(`/p/${PROJECT}/services/${body.items[0].id}/edit`);
    await choose('Policies', 'shop-guard');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page
      .getByRole('region', { name: 'Progress of the change' })
      .getByText('Live')
      .first()
      .waitFor({ timeout: 90_000 });
  });

  it('sees a blocked request at the proxy and on the policy’s screen', async () => {
    await stage.fleet.until(async () => (await visit())?.status === 403, 'a request without a key is blocked');
    expect(await visit({ 'x-api-key': 'key-of-the-story' })).toMatchObject({ status: 200, text: 'from the shop' });
    await page.goto(`/p/${PROJECT}/policies/shop-guard?tab=traffic`);
    await page.getByRole('cell', { name: 'api_key' }).first().waitFor({ timeout: 90_000 });
    await takePicture(page, 'story-blocked');
    expect(opened.complaints).toEqual([]);
  });
});

async function choose(label: string, option: string): Promise<void> {
  await page
    .getByRole('textbox', { name: label })
    .or(page.getByRole('combobox', { name: label }))
    .first()
    .click();
  await page.getByRole('option', { name: option }).first().click();
}

async function saveDocument(name: string): Promise<void> {
  await page.getByText('Checked').waitFor();
  await page.getByRole('button', { name: 'Review and save' }).click();
  const dialog = page.getByRole('dialog', { name: `Save ${name}?` });
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

import { randomUUID } from 'node:crypto';
import { createServerCertificate, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { shareFurnishedStage } from './shared-stage.ts';
import { look, PROJECT, type Stage } from './stage.ts';

const VERSION = TEST_ENVOY_VERSIONS.newest;

let stage: Stage;

beforeAll(async () => {
  stage = (await shareFurnishedStage()).stage;
});

const newPath = (collection: string, more = '') => `/p/${PROJECT}/resources/${collection}/new${more}`;
const uniqueName = () => `start-${randomUUID().slice(0, 8)}`;
const card = (page: Page, title: string) => page.getByRole('button', { name: title });
const field = (page: Page, label: string) => page.getByRole('textbox', { name: label, exact: true });
const hasFocus = (page: Page, label: string) => field(page, label).evaluate((at) => at === document.activeElement);

async function create(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Review and create' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

async function storeAuthority(name: string): Promise<void> {
  const { certificatePem } = await createServerCertificate('authority.example.com');
  const resource = { name, validation_context: { trusted_ca: { inline_string: certificatePem } } };
  const stored = await stage.fleet.api('POST', '/api/v3/xds/secrets', { name, version: VERSION, resource });
  expect(stored.status, JSON.stringify(stored.body)).toBe(201);
}

async function read(collection: string, name: string) {
  return (await stage.fleet.api('GET', `/api/v3/xds/${collection}/${name}?version=${VERSION}`)).body.resource;
}

describe('the templates of a new document', () => {
  it('ask for what they need, by keyboard alone, and open the editor with the document', async () => {
    const name = uniqueName();
    const { page, complaints, close } = await stage.open(newPath('clusters'));
    await card(page, 'HTTPS server').waitFor();
    await look(page, 'starters-cards');
    await card(page, 'HTTPS server').press('Enter');
    await expect.poll(() => hasFocus(page, 'Name')).toBe(true);
    expect(await field(page, 'Name').inputValue()).toBe('backend-tls');
    await field(page, 'Name').fill('demo-upstream');
    await page.keyboard.press('Enter');
    await page.getByText('Enter a value.').first().waitFor();
    await expect.poll(() => hasFocus(page, 'Addresses')).toBe(true);
    await page.keyboard.type('a.example.com');
    await page.getByText('Line 1: Port must be').waitFor();
    await page.keyboard.type(':8443');
    await page.getByRole('combobox', { name: 'Trusted authorities' }).fill(`${name}-authorities`);
    await page.getByText(/Create (it|one) first\./).waitFor();
    await look(page, 'starters-form');
    await page.keyboard.press('Enter');
    await page.getByText('A document of this kind has this name already.').waitFor();
    await expect.poll(() => hasFocus(page, 'Name')).toBe(true);
    await field(page, 'Name').fill(name);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Review and create' }).waitFor();
    await page.getByText(`refers to ${name}-authorities, which is not among the secrets`).first().waitFor();
    await look(page, 'starters-editor');
    await storeAuthority(`${name}-authorities`);
    await create(page, name);
    const socket = { socket_address: { address: 'a.example.com', port_value: 8443 } };
    expect(await read('clusters', name)).toMatchObject({
      name,
      load_assignment: {
        cluster_name: name,
        endpoints: [{ lb_endpoints: [{ endpoint: { address: socket } }] }],
      },
      transport_socket: {
        typed_config: {
          sni: 'a.example.com',
          common_tls_context: {
            combined_validation_context: {
              default_validation_context: { match_typed_subject_alt_names: [{ matcher: { exact: 'a.example.com' } }] },
              validation_context_sds_secret_config: { name: `${name}-authorities` },
            },
          },
        },
      },
    });
    expect(complaints).toEqual([]);
    await close();
  });

  it('create a secret of pasted PEM and a listener that uses it, on a phone in the dark theme', async () => {
    const name = uniqueName();
    const { certificatePem, privateKeyPem } = await createServerCertificate('a.example.com');
    const opened = await stage.open(newPath('secrets', '?starter=secret-certificate'), { width: 390, scheme: 'dark' });
    const { page } = opened;
    await field(page, 'Name').fill(name);
    await field(page, 'Certificate chain').fill(certificatePem);
    await field(page, 'Private key').fill(privateKeyPem);
    await look(page, 'starters-secret-phone');
    await page.getByRole('button', { name: 'Continue' }).click();
    await create(page, name);
    expect(await page.evaluate((key) => Object.values(sessionStorage).join().includes(key), privateKeyPem)).toBe(false);

    await page.goto(newPath('listeners'));
    await card(page, 'HTTPS').waitFor();
    await look(page, 'starters-cards-phone');
    await card(page, 'HTTPS').click();
    await field(page, 'Name').fill(name);
    await field(page, 'Port').fill('70000');
    const certificate = page.getByRole('combobox', { name: 'Certificate' });
    await certificate.fill(name);
    await page.getByRole('option', { name, exact: true }).click();
    await page.getByRole('combobox', { name: 'Routes' }).fill('demo-routes');
    await page.keyboard.press('Enter');
    await page.getByText('Enter a whole number from 1 to 65535.').waitFor();
    await field(page, 'Port').fill('18449');
    await look(page, 'starters-listener-phone');
    await page.getByRole('button', { name: 'Continue' }).click();
    await create(page, name);
    const listener = await read('listeners', name);
    expect(listener.address).toEqual({ socket_address: { address: '@client', port_value: 18449 } });
    expect(listener.filter_chains[0].transport_socket.typed_config.common_tls_context).toMatchObject({
      tls_certificate_sds_secret_configs: [{ name }],
    });
    expect(opened.complaints).toEqual([]);
    await opened.close();
  });

  it('are steps of the history, and one of them is an empty document', async () => {
    const { page, close } = await stage.open(newPath('routes'));
    await card(page, 'By path').click();
    await field(page, 'Domains').waitFor();
    await page.goBack();
    await card(page, 'By path').click();
    await page.reload();
    await field(page, 'Domains').waitFor();
    await page.getByRole('button', { name: 'Other templates' }).press('Enter');
    await expect.poll(() => card(page, 'By path').evaluate((at) => at === document.activeElement)).toBe(true);
    await card(page, 'Empty document').click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('typed');
    await page.getByRole('button', { name: 'Review and create', disabled: false }).waitFor();
    await page.reload();
    await page.getByText('Your unsaved input was restored.').waitFor();
    await page.getByRole('button', { name: 'Start over' }).click();
    await card(page, 'By path').waitFor();
    await close();
  });
});

import { randomUUID } from 'node:crypto';
import { settingRoutes } from '@flotilla/contract';
import {
  CLOUD_PROJECT,
  CLOUD_REGION,
  CREDENTIAL,
  createRecords,
  OpenStackServer,
  SERVER,
} from '@flotilla/testkit/openstack-server';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { shareFurnishedStage } from './shared-stage.ts';
import { look, type PageOptions, PROJECT, type Stage, type StagePage } from './stage.ts';

let stage: Stage;
let cloud: OpenStackServer;
let client: string;
let opened: StagePage | undefined;

const name = `openstack-${randomUUID().slice(0, 8)}`;
const setting = `/api/v3/setting/clouds/${name}`;

beforeAll(async () => {
  const shared = await shareFurnishedStage();
  stage = shared.stage;
  await shared.places.owner.call(settingRoutes.replace, {
    params: { key: 'outgoing' },
    query: {},
    body: { allowed_networks: ['127.0.0.0/8'] },
  });
  cloud = await OpenStackServer.start({ records: createRecords(60) });
  client = await insertClient();
});
afterEach(async () => {
  expect(opened?.complaints ?? []).toEqual([]);
  await opened?.close();
  opened = undefined;
});
afterAll(async () => {
  await stage.fleet.api('DELETE', setting);
  await stage.fleet.api('DELETE', `/api/op/clients/${client}`);
  await cloud?.close();
});

/** A client on a server of OpenStack: the facts of a real one come from its machine. */
async function insertClient(): Promise<string> {
  const [id, now] = [randomUUID(), new Date()];
  const source = 'metadata service';
  const facts = {
    cloud: {
      detection: 'found',
      provider: { value: 'openstack', source },
      server_id: { value: SERVER, source },
      project: { value: CLOUD_PROJECT, source },
      reason: null,
    },
  };
  await stage.fleet.withDatabase(async (db) => {
    const { project_id } = await db.selectFrom('clients').select('project_id').executeTakeFirstOrThrow();
    await db
      .insertInto('clients')
      .values({
        id,
        project_id,
        name,
        hostname: name,
        os: 'Debian 13',
        arch: 'x64',
        kernel: '6.12',
        agent_version: '0.1.0',
        provider: 'openstack',
        facts: JSON.stringify(facts),
        metadata: '{}',
        cores: 2,
        memory_bytes: 1024,
        runtime_dir: '/run/flotilla',
        data_dir: '/var/lib/flotilla',
        connected_to: null,
        connect_time: now,
        last_seen: now,
        created_at: now,
        updated_at: now,
      })
      .execute();
  });
  return id;
}

async function open(options: PageOptions = {}): Promise<Page> {
  opened = await stage.open(`/p/${PROJECT}/clients/${client}`, options);
  return opened.page;
}

describe('the cloud network of a client', () => {
  it('explains what is missing, and is read again when the cloud is stored', async () => {
    const page = await open({ scheme: 'dark' });
    const section = page.getByRole('region', { name: 'Cloud network' });
    expect(cloud.requests).toEqual([]);
    await section.getByRole('button', { name: 'Show the ports' }).press('Enter');
    await section.getByText('The project has no cloud.').waitFor();
    await look(page, 'cloud-network-missing-dark');
    await storeCloud(page);
    await page.goto(`/p/${PROJECT}/clients/${client}`);
    await section.getByRole('button', { name: 'Show the ports' }).press('Enter');
    await section.getByRole('table', { name: 'Ports of the cloud server' }).waitFor();
    await look(page, 'cloud-network-dark');
  });

  it('shows the ports with their networks as text, and the free addresses of a subnet', async () => {
    const page = await open();
    const section = page.getByRole('region', { name: 'Cloud network' });
    await section.getByRole('button', { name: 'Show the ports' }).click();
    const table = section.getByRole('table', { name: 'Ports of the cloud server' });
    const port = table.getByRole('row', { name: '<b>edge</b>' });
    await port.getByText('10.0.0.200').waitFor();
    await table.getByText('Not visible to the credential').waitFor();
    await look(page, 'cloud-network-light');
    await port.getByRole('button', { name: 'Free addresses of 10.0.0.0/24' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Addresses of 10.0.0.0/24' });
    await dialog.getByText('191', { exact: true }).waitFor();
    await dialog.getByText('10.0.0.201').waitFor();
    await look(page, 'cloud-network-addresses-light');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('shows the reason of a failure, and the ports when the cloud is corrected', async () => {
    const page = await open({ width: 390 });
    cloud.revokeTokens();
    await stage.fleet.api('PATCH', `/api/v3/setting/documents/cloud/${name}`, { region_name: 'nowhere' });
    const section = page.getByRole('region', { name: 'Cloud network' });
    await section.getByRole('button', { name: 'Show the ports' }).click();
    await section.getByText(/no public endpoint of type network in region nowhere/).waitFor();
    await section.getByRole('button', { name: 'Try again' }).waitFor();
    await look(page, 'cloud-network-failed-phone');
    await stage.fleet.api('PATCH', `/api/v3/setting/documents/cloud/${name}`, { region_name: CLOUD_REGION });
    await page.reload();
    await section.getByRole('button', { name: 'Show the ports' }).click();
    await section.getByText('10.0.0.10', { exact: true }).waitFor();
    await look(page, 'cloud-network-phone');
  });
});

/** Stores the cloud in the settings, as an admin does. */
async function storeCloud(page: Page): Promise<void> {
  await page.goto(`/p/${PROJECT}/settings/cloud?add=new`);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await page.getByRole('textbox', { name: 'Address of Keystone' }).fill(cloud.url);
  await page.getByRole('textbox', { name: 'Application credential ID' }).fill(CREDENTIAL.id);
  await page.getByRole('button', { name: 'Enter: Application credential secret' }).click();
  await page.getByLabel('Application credential secret', { exact: true }).fill(CREDENTIAL.secret);
  await page.getByRole('textbox', { name: 'Region' }).fill(CLOUD_REGION);
  await look(page, 'cloud-settings-dark');
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText(/^Test (passed|failed)/).waitFor();
  await look(page, 'cloud-settings-tested-dark');
  await page.getByText(/^Test passed/).waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('saved').first().waitFor();
}

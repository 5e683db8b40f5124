import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Places } from './furnish.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { look, PROJECT, type Stage, type StagePage } from './stage.ts';

const AUTHORIZATION = `Basic ${Buffer.from('shipper:pass word').toString('base64')}`;

let stage: Stage;
let places: Places;
let opened: StagePage | undefined;
let server: Server;
const documents: Record<string, unknown>[] = [];

/** Takes documents as Elasticsearch does, from one user. */
function createSearchServer(): Server {
  return createServer((request, response) => {
    void text(request).then((body) => {
      response.setHeader('content-type', 'application/json');
      if (request.headers.authorization !== AUTHORIZATION) return response.writeHead(401).end('{"error":"who?"}');
      const taken = body.split('\n').filter((line) => line.startsWith('{"@timestamp"'));
      documents.push(...taken.map((line) => JSON.parse(line) as Record<string, unknown>));
      return response.end(JSON.stringify({ items: taken.map(() => ({ create: { status: 201 } })) }));
    });
  });
}

beforeAll(async () => {
  ({ stage, places } = await shareFurnishedStage());
  server = createSearchServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  expect(opened?.complaints ?? []).toEqual([]);
  await opened?.close();
  opened = undefined;
});
afterAll(async () => {
  await stage.fleet.api('POST', '/api/op/clients', {
    type: 'LOGSHIPPER',
    sub_type: 'UPDATE_FILEBEAT_CONFIG',
    clients: [{ client_id: places.client }],
    command: { filebeat: null },
  });
  server.closeAllConnections();
  server.close();
});

it('the page of a client sets, changes, stops and removes a log shipper on a real host, and never shows its password', async () => {
  opened = await stage.open(`/p/${PROJECT}/clients/${places.client}?tab=forwarding`);
  const { page } = opened;
  const section = page.getByRole('region', { name: 'Log shipper' });
  await section.getByText('No search engine is configured').waitFor();
  await section.getByRole('button', { name: 'Configure' }).click();
  const form = page.getByRole('dialog', { name: 'Log shipper' });
  const addresses = form.getByRole('textbox', { name: 'Addresses' });
  await addresses.fill('<b>"x"</b>');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('The command is not valid').waitFor();
  await look(page, 'client-log-shipper-error-light');
  await addresses.fill(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await form.getByRole('combobox', { name: 'Credentials' }).click();
  await page.getByRole('option', { name: 'User and password' }).click();
  await form.getByRole('textbox', { name: 'User', exact: true }).fill('shipper');
  await form.getByRole('textbox', { name: 'Password' }).fill('pass word');
  await look(page, 'client-log-shipper-form-light');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'hidden' });
  await section.getByText('Running', { exact: true }).waitFor();
  await section.getByText('As shipper').waitFor();
  // The log of the Envoy of a service of the host
  await expect
    .poll(() => documents)
    .toContainEqual(
      expect.objectContaining({
        'event.dataset': 'envoy',
        'flotilla.service': expect.stringMatching(/^[0-9a-f]{12}$/),
      }),
    );
  await look(page, 'client-log-shipper-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await look(page, 'client-log-shipper-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await section.getByRole('button', { name: 'Configure' }).click();
  expect(await form.getByRole('textbox', { name: 'Password' }).inputValue()).toBe('');
  await form.getByRole('textbox', { name: 'Start of the names of the indices' }).fill('edge');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'hidden' });
  await section.getByText('edge-<day>').waitFor();
  await section.getByRole('button', { name: 'Stop' }).click();
  await section.getByText('Stopped', { exact: true }).waitFor();
  await section.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await section.getByText('No search engine is configured').waitFor();
});

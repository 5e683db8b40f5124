import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Places } from './furnish.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { look, PROJECT, type Stage, type StagePage } from './stage.ts';

let stage: Stage;
let places: Places;
let opened: StagePage | undefined;
let server: Server;
let received = '';

beforeAll(async () => {
  ({ stage, places } = await shareFurnishedStage());
  server = createServer((socket) => {
    socket.on('data', (chunk) => {
      received += chunk.toString();
    });
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  expect(opened?.complaints ?? []).toEqual([]);
  await opened?.close();
  opened = undefined;
});
afterAll(async () => {
  const command = { rsyslog_config: null };
  const clients = [{ client_id: places.client }];
  await stage.fleet.api('POST', '/api/op/clients', {
    type: 'SYSLOG_FWD',
    sub_type: 'UPDATE_RSYSLOG_CONFIG',
    clients,
    command,
  });
  server.close();
});

it('the page of a client sets, stops and removes syslog forwarding on a real host', async () => {
  opened = await stage.open(`/p/${PROJECT}/clients/${places.client}?tab=forwarding`);
  const { page } = opened;
  const section = page.getByRole('region', { name: 'Syslog server' });
  await section.getByText('No syslog server is configured').waitFor();
  await section.getByRole('button', { name: 'Configure' }).click();
  const form = page.getByRole('dialog', { name: 'Syslog server' });
  await form.getByRole('textbox', { name: 'Host name or address' }).fill('<b>"x"</b>');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('The command is not valid').waitFor();
  await form.getByRole('textbox', { name: 'Host name or address' }).fill('127.0.0.1');
  await form.getByRole('textbox', { name: 'Port' }).fill(String((server.address() as AddressInfo).port));
  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'hidden' });
  await section.getByText('Running', { exact: true }).waitFor();
  await section.getByText(/^tcp 127\.0\.0\.1:\d+$/).waitFor();
  // The log of the Envoy of a service of the host
  await expect.poll(() => received).toMatch(/^<190>1 \S+ \S+ envoy - - \[flotilla@32473 service="[0-9a-f]{12}"\] /m);
  await look(page, 'client-forwarding-light');
  await section.getByRole('button', { name: 'Stop' }).click();
  await section.getByText('Stopped', { exact: true }).waitFor();
  await section.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await section.getByText('No syslog server is configured').waitFor();
});

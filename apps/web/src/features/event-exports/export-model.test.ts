import type { EventExportView } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { toExportValues, toForm } from './export-model.ts';

const selection: EventExportView['selection'] = {
  decisions: ['blocked'],
  min_risk: null,
  flags: ['credential_stuffing' as never],
  service_ids: ['s'],
  hosts: ['a.example.com', 'b.example.com'],
  findings: false,
};
const TARGETS: readonly EventExportView['target'][] = [
  {
    kind: 'syslog',
    host: 'logs.example.com',
    port: 6514,
    protocol: 'tcp',
    facility: 'local3',
    app_name: 'edge',
    ca_cert: 'CA',
    client_cert: 'CERT',
  },
  { kind: 'webhook', url: 'https://siem.example.com/x', format: 'ndjson', ca_cert: null },
];
const shown = (target: EventExportView['target']) =>
  ({ name: 'siem', enabled: false, target, selection }) as EventExportView;

it.each(TARGETS)('an export that is opened and saved again sends no secret and changes nothing: $kind', (target) => {
  expect(toExportValues(toForm(shown(target)))).toEqual({ name: 'siem', enabled: false, target, selection });
});

it('typed secrets are sent', () => {
  const [syslog, webhook] = TARGETS.map((target) => toForm(shown(target)));
  if (!syslog || !webhook) throw new Error('two targets');
  expect(toExportValues({ ...syslog, clientKey: 'KEY' }).target).toMatchObject({ client_key: 'KEY' });
  expect(toExportValues({ ...webhook, secret: ' as typed ' }).target).toMatchObject({ secret: ' as typed ' });
});

it('a new export sends what is blocked, detected or risky by TLS', () => {
  expect(toExportValues({ ...toForm(undefined), name: 'siem', host: ' logs.example.com ' })).toMatchObject({
    enabled: true,
    target: { kind: 'syslog', host: 'logs.example.com', port: 6514, protocol: 'tls', client_cert: null },
    selection: { decisions: ['blocked', 'detected'], min_risk: 50, findings: true },
  });
});

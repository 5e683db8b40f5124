import type { EventExportValues, EventExportView } from '@flotilla/contract';

type Selection = EventExportView['selection'];
type Target = EventExportView['target'];

/** The fields of the form. Secrets are empty until somebody types new ones. */
export interface ExportFields {
  readonly name: string;
  readonly enabled: boolean;
  readonly kind: Target['kind'];
  readonly host: string;
  readonly port: number | string;
  readonly protocol: 'tls' | 'tcp';
  readonly facility: Extract<Target, { kind: 'syslog' }>['facility'];
  readonly appName: string;
  readonly cert: string;
  readonly clientKey: string;
  readonly url: string;
  readonly format: 'json' | 'ndjson';
  readonly secret: string;
  readonly ca: string;
  readonly decisions: Selection['decisions'];
  /** Empty: the score selects nothing. */
  readonly minRisk: number | string;
  readonly flags: Selection['flags'];
  readonly services: Selection['service_ids'];
  /** One per line. */
  readonly hosts: string;
  readonly findings: boolean;
}

const SYSLOG_PORT = 6514;
const RISK = 50;
const NEW_SYSLOG = {
  kind: 'syslog',
  host: '',
  port: SYSLOG_PORT,
  protocol: 'tls',
  facility: 'local0',
  app_name: 'flotilla',
  ca_cert: null,
  client_cert: null,
} as const;

/** The fields of an export, or those of a new one. */
export function toForm(shown: EventExportView | undefined): ExportFields & Record<string, unknown> {
  const target = shown?.target ?? NEW_SYSLOG;
  const syslog = target.kind === 'syslog' ? target : NEW_SYSLOG;
  const selection = shown?.selection;
  return {
    name: shown?.name ?? '',
    enabled: shown?.enabled ?? true,
    kind: target.kind,
    host: syslog.host,
    port: syslog.port,
    protocol: syslog.protocol,
    facility: syslog.facility,
    appName: syslog.app_name,
    cert: syslog.client_cert ?? '',
    clientKey: '',
    url: target.kind === 'webhook' ? target.url : '',
    format: target.kind === 'webhook' ? target.format : 'json',
    secret: '',
    ca: target.ca_cert ?? '',
    decisions: selection?.decisions ?? ['blocked', 'detected'],
    minRisk: selection === undefined ? RISK : (selection.min_risk ?? ''),
    flags: selection?.flags ?? [],
    services: selection?.service_ids ?? [],
    hosts: selection?.hosts.join('\n') ?? '',
    findings: selection?.findings ?? true,
  };
}

/** The values to send. An empty secret is left out, so that the export keeps the one that it has. */
export function toExportValues(fields: ExportFields): EventExportValues {
  const { name, enabled, decisions, minRisk, flags, services, hosts, findings } = fields;
  return {
    name,
    enabled,
    target: toTarget(fields),
    selection: {
      decisions,
      min_risk: minRisk === '' ? null : Number(minRisk),
      flags,
      service_ids: services,
      hosts: hosts.split('\n').flatMap((host) => host.trim() || []),
      findings,
    },
  };
}

function toTarget(fields: ExportFields): EventExportValues['target'] {
  const ca_cert = fields.ca.trim() === '' ? null : fields.ca;
  if (fields.kind === 'webhook') {
    const { url, format, secret } = fields;
    return { kind: 'webhook', url: url.trim(), format, ca_cert, ...(secret !== '' && { secret }) };
  }
  const { host, port, protocol, facility, appName, cert, clientKey } = fields;
  return {
    kind: 'syslog',
    host: host.trim(),
    port: Number(port),
    protocol,
    facility,
    app_name: appName,
    ca_cert,
    client_cert: cert.trim() === '' ? null : cert,
    ...(clientKey.trim() !== '' && { client_key: clientKey }),
  };
}

import { isIP } from 'node:net';
import { join } from 'node:path';
import { err, ok, type Result } from '@flotilla/kit';
import { KEPT_SECRET, SYSLOG_PROTOCOLS, type SyslogConfig } from '@flotilla/proto/commands';
import { hasRsyslogModule } from './programs.ts';
import { renderObject } from './rainerscript.ts';
import { isHost, isMembers, isPort, readTls } from './read-tls.ts';
import { OWN_LOG, type RsyslogInput, renderRsyslog } from './render-rsyslog.ts';
import { checkRsyslog, hasRsyslogStarted, readRsyslogCounters, runRsyslog } from './run-rsyslog.ts';
import type { ForwarderDriver, ForwarderKind, ForwarderPlaces, RenderedFile } from './types.ts';

export const SYSLOG_CONF = 'rsyslog.conf';
/** The authorities of Debian. */
const HOST_AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';
const PEMS = { ca_cert: 'ca.pem', client_cert: 'client.pem', client_key: 'client.key' } as const;

/** RFC 5424. The service is in the path of a file, and the pattern keeps any other text of the path out. */
const MESSAGE_TEMPLATE = `template(name="message" type="list") {
  constant(value="<") property(name="pri") constant(value=">1 ") property(name="timestamp" dateFormat="rfc3339")
  constant(value=" ") property(name="hostname") constant(value=" ") property(name="programname")
  constant(value=" - - [flotilla@32473 service=\\"")
  property(name="$!metadata!filename" regex.type="ERE" regex.expression="/services/([0-9a-f]{12})/" regex.submatch="1" regex.nomatchmode="BLANK")
  constant(value="\\"] ") property(name="msg")
}`;

/** The logs of all services: those of Envoy and the filter, and the access logs. */
export function serviceLogs(dataDir: string): readonly RsyslogInput[] {
  return [
    { path: `${dataDir}/services/*/logs/envoy.log`, tag: 'envoy' },
    { path: `${dataDir}/services/*/logs/shield.log`, tag: 'filter' },
    { path: `${dataDir}/services/*/files/*.log`, tag: 'access' },
  ];
}

interface SyslogPrograms {
  /** Undefined: rsyslog is not installed. */
  readonly find: () => Promise<string | undefined>;
  readonly dataDir: string;
}

/** SYSLOG_FWD: an rsyslog of our own sends the logs of the services to a syslog server. */
export function createSyslogKind({ find, dataDir }: SyslogPrograms): ForwarderKind<SyslogConfig> {
  return {
    async plan(value) {
      const parsed = parseSyslogConfig(value);
      if (!parsed.ok) return err({ outcome: 'failed', code: 'forwarder.invalid', message: parsed.error });
      if (parsed.value.rsyslog_output.tls === null || (await hasRsyslogModule('lmnsd_gtls'))) return parsed;
      const message = 'TLS needs the module lmnsd_gtls of rsyslog: install the package rsyslog-gnutls';
      return err({ outcome: 'refused', code: 'client.incapable', message });
    },
    async findDriver() {
      const program = await find();
      return program === undefined ? undefined : createSyslogDriver(program, dataDir);
    },
    mask: maskSyslog,
    secretsOf: ({ rsyslog_output: { tls } }) => (tls?.client_key ? [tls.client_key] : []),
  };
}

function createSyslogDriver(program: string, dataDir: string): ForwarderDriver<SyslogConfig> {
  return {
    name: 'rsyslog',
    ownLog: OWN_LOG,
    render: (config, places) => renderFiles(config, places, serviceLogs(dataDir)),
    checkCommand: ({ releaseDir }) => checkRsyslog(program, join(releaseDir, SYSLOG_CONF)),
    runCommand: ({ releaseDir }) => runRsyslog(program, join(releaseDir, SYSLOG_CONF)),
    hasStarted: hasRsyslogStarted,
    readCounters: readRsyslogCounters,
  };
}

export function parseSyslogConfig(value: unknown): Result<SyslogConfig, string> {
  const output = isMembers(value) ? value.rsyslog_output : undefined;
  if (!isMembers(output)) return err('rsyslog_output is missing');
  const { target, port } = output;
  if (!isHost(target)) return err('target must be a host name or an IP address');
  if (!isPort(port)) return err('port must be a number from 1 to 65535');
  const protocol = SYSLOG_PROTOCOLS.find((one) => one === output.protocol);
  if (!protocol) return err(`protocol must be ${SYSLOG_PROTOCOLS.join(' or ')}`);
  const tls = readTls(output.tls);
  if (!tls.ok) return tls;
  if (tls.value && protocol !== 'tcp') return err('tls needs protocol tcp');
  if (tls.value && tls.value.server_name === null && isIP(target) !== 0)
    return err('tls.server_name is needed, because the target is an address');
  return ok({ rsyslog_output: { target, port, protocol, tls: tls.value } });
}

function maskSyslog({ rsyslog_output: output }: SyslogConfig): unknown {
  const { tls } = output;
  const masked = tls && { ...tls, client_key: tls.client_key === null ? null : KEPT_SECRET };
  return { rsyslog_config: { rsyslog_output: { ...output, tls: masked } } };
}

function renderFiles(
  { rsyslog_output: output }: SyslogConfig,
  places: ForwarderPlaces,
  inputs: readonly RsyslogInput[],
): readonly RenderedFile[] {
  const { target, port, protocol, tls } = output;
  const at = (name: keyof typeof PEMS) => (tls?.[name] ? join(places.releaseDir, PEMS[name]) : undefined);
  const action = renderObject('action', {
    name: 'deliver',
    type: 'omfwd',
    target,
    port,
    protocol,
    template: 'message',
    // RFC 5425 wants it with TLS. Without TLS, more servers understand lines.
    ...(protocol === 'tcp' && { TCP_Framing: tls ? 'octet-counted' : 'traditional' }),
    ...(tls && {
      StreamDriver: 'gtls',
      StreamDriverMode: 1,
      StreamDriverAuthMode: 'x509/name',
      StreamDriverPermittedPeers: tls.server_name ?? target,
      'StreamDriver.CAFile': at('ca_cert') ?? HOST_AUTHORITIES,
      'StreamDriver.CertFile': at('client_cert'),
      'StreamDriver.KeyFile': at('client_key'),
    }),
    'action.resumeRetryCount': -1,
    'action.resumeInterval': 2,
    'action.resumeIntervalMax': 60,
    'action.reportSuspensionContinuation': 'on',
  });
  const conf = renderRsyslog({ places, modules: [], templates: [MESSAGE_TEMPLATE], inputs, statements: [action] });
  const pems = (Object.keys(PEMS) as Array<keyof typeof PEMS>).flatMap((name) => {
    const text = tls?.[name];
    return text ? [{ name: PEMS[name], text }] : [];
  });
  return [{ name: SYSLOG_CONF, text: conf }, ...pems];
}

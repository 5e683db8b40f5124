import { join } from 'node:path';
import { renderObject } from '../rainerscript.ts';
import { COUNTERS_LOG, OWN_LOG, type RsyslogInput, renderRsyslog } from '../render-rsyslog.ts';
import { checkRsyslog, hasRsyslogStarted, readRsyslogCounters, runRsyslog } from '../run-rsyslog.ts';
import { serviceLogs } from '../syslog-driver.ts';
import type { ForwarderDriver, ForwarderPlaces, RenderedFile } from '../types.ts';
import { readWriterCounters } from '../writer/counters.ts';
import type { WriterSettings } from '../writer/settings.ts';
import type { SearchOutput, ShipperConfig, UnplacedConfig } from './config.ts';
import { SHIPPED_FIELDS, type ShippedField } from './fields.ts';

const CONF = 'rsyslog.conf';
const SCRIPT = 'writer.sh';
const SETTINGS = 'writer.json';
/** Longer than the writer waits for a server and before it reports a failure. */
const CONFIRM_TIMEOUT_MS = 120_000;

/** How rsyslog gets each field. The service is in the path of a file, and the pattern keeps any other text of the path out. */
const PROPERTIES: Readonly<Record<ShippedField, string>> = {
  message: 'name="msg"',
  host: 'name="hostname"',
  file: 'name="$!metadata!filename"',
  offset: 'name="$!metadata!fileoffset"',
  dataset: 'name="programname"',
  service:
    'name="$!metadata!filename" regex.type="ERE" regex.expression="/services/([0-9a-f]{12})/" regex.submatch="1" regex.nomatchmode="BLANK"',
};

interface RsyslogShipper {
  readonly program: string;
  readonly dataDir: string;
  readonly flotillaCommand: readonly string[];
  readonly queueMaxBytes?: number | undefined;
}

/** Says what rsyslog cannot do; the text follows its name. Undefined: it can do what is configured. */
export function findRsyslogGap({ timestamp_processor, filebeat_output }: UnplacedConfig): string | undefined {
  if (filebeat_output.logstash) return 'cannot send to Logstash';
  if (timestamp_processor) return 'cannot read times from lines (timestamp_processor)';
  return undefined;
}

/**
 * An rsyslog of our own reads the lines and keeps them on disk; our writer sends them. The module omelasticsearch is not used,
 * because it drops lines whenever the server answers with an error instead of results.
 */
export function createRsyslogShipper({
  program,
  dataDir,
  flotillaCommand,
  queueMaxBytes,
}: RsyslogShipper): ForwarderDriver<ShipperConfig> {
  return {
    name: 'rsyslog',
    ownLog: OWN_LOG,
    render: (config, places) => [
      { name: CONF, text: renderConf(config, places, { dataDir, queueMaxBytes }) },
      renderScript(flotillaCommand, places),
      renderSettings(config, places),
    ],
    checkCommand: ({ releaseDir }) => checkRsyslog(program, join(releaseDir, CONF)),
    runCommand: ({ releaseDir }) => runRsyslog(program, join(releaseDir, CONF)),
    hasStarted: hasRsyslogStarted,
    readCounters(log) {
      const counters = readRsyslogCounters(log);
      return counters && { ...counters, ...readWriterCounters(log) };
    },
  };
}

function renderConf(
  config: ShipperConfig,
  places: ForwarderPlaces,
  { dataDir, queueMaxBytes }: Omit<RsyslogShipper, 'program' | 'flotillaCommand'>,
): string {
  const action = renderObject('action', {
    name: 'deliver',
    type: 'omprog',
    // It splits at spaces and has no quotes.
    binary: `/bin/sh ${requirePlain(join(places.releaseDir, SCRIPT))}`,
    template: 'document',
    confirmMessages: 'on',
    confirmTimeout: CONFIRM_TIMEOUT_MS,
    useTransactions: 'on',
    signalOnClose: 'on',
    closeTimeout: 1000,
    'action.resumeRetryCount': -1,
    'action.resumeInterval': 1,
    'action.resumeIntervalMax': 60,
  });
  const dropped = config.drop_fields_processor?.fields ?? [];
  return renderRsyslog({
    places,
    modules: ['omprog'],
    templates: [renderDocument(dropped)],
    inputs: listInputs(config, dataDir),
    statements: [action],
    queueMaxBytes,
  });
}

/** One JSON object per line. */
function renderDocument(dropped: readonly string[]): string {
  const kept = (Object.keys(PROPERTIES) as ShippedField[]).filter((field) => !dropped.includes(SHIPPED_FIELDS[field]));
  const members = kept.map(
    (field) => `  constant(value=",") property(outname="${SHIPPED_FIELDS[field]}" ${PROPERTIES[field]} format="jsonf")`,
  );
  return `template(name="document" type="list") {
  constant(value="{") property(outname="@timestamp" name="timereported" dateFormat="rfc3339" date.inUTC="on" format="jsonf")
${members.join('\n')}
  constant(value="}\\n")
}`;
}

function listInputs({ service_logs: all, inputs }: ShipperConfig, dataDir: string): readonly RsyslogInput[] {
  const own = all ? serviceLogs(dataDir) : [];
  const given = inputs.filter(({ enabled }) => enabled);
  return [...own, ...given.flatMap(({ id, paths }) => paths.map((path) => ({ path, tag: id })))];
}

function renderSettings(config: ShipperConfig, { logDir }: ForwarderPlaces): RenderedFile {
  const output = config.filebeat_output.elasticsearch;
  if (!output) throw new Error('rsyslog cannot send to Logstash');
  const { hosts, loadbalance, index, skip_ssl_verify: skipsVerification, tls } = output;
  const settings: WriterSettings = {
    hosts,
    loadbalance,
    index,
    skipsVerification,
    tls,
    authorization: toAuthorization(output),
    ownLog: join(logDir, OWN_LOG),
    countersLog: join(logDir, COUNTERS_LOG),
  };
  return { name: SETTINGS, text: JSON.stringify(settings) };
}

function toAuthorization({ api_key: key, basic_auth: user }: SearchOutput): string | null {
  if (key !== null) return `ApiKey ${Buffer.from(key).toString('base64')}`;
  return user && `Basic ${Buffer.from(`${user.username}:${user.password}`).toString('base64')}`;
}

/** Runs the writer. Without the mark of the unit, no runner takes it for the unit. */
function renderScript(flotillaCommand: readonly string[], { releaseDir }: ForwarderPlaces): RenderedFile {
  const command = [...flotillaCommand, 'log-writer', join(releaseDir, SETTINGS)].map(quoteShell);
  return { name: SCRIPT, text: `exec /usr/bin/env -u FLOTILLA_UNIT ${command.join(' ')}\n` };
}

function quoteShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function requirePlain(path: string): string {
  if (!/^[\w/.+@:-]+$/.test(path))
    throw new TypeError(`rsyslog cannot run a program of the folder ${path}: its path has spaces`);
  return path;
}

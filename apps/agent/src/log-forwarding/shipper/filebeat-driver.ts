import { join } from 'node:path';
import { stringify } from 'yaml';
import { OUTPUT_LOG } from '../forwarder-process.ts';
import { serviceLogs } from '../syslog-driver.ts';
import type { ForwarderDriver, ForwarderPlaces, RenderedFile } from '../types.ts';
import { type ShipperConfig, type ShipperOutput, tlsOf, type UnplacedConfig } from './config.ts';
import { SHIPPED_FIELDS } from './fields.ts';

const CONF = 'filebeat.yml';
const PEMS = { ca_cert: 'ca.pem', client_cert: 'client.pem', client_key: 'client.key' } as const;
const QUEUE_MAX = '1GB';

/** Says what Filebeat cannot do; the text follows its name. Undefined: it can do what is configured. */
export function findFilebeatGap(config: UnplacedConfig): string | undefined {
  const name = tlsOf(config)?.server_name ?? null;
  return name === null ? undefined : 'cannot expect another name in the certificate (tls.server_name)';
}

/** Elastic's Filebeat with a configuration, a registry and a queue of our own. */
export function createFilebeatDriver(program: string, dataDir: string): ForwarderDriver<ShipperConfig> {
  const paths = ({ releaseDir, workDir, logDir }: ForwarderPlaces) => [
    '-c',
    join(releaseDir, CONF),
    '--path.config',
    releaseDir,
    '--path.data',
    join(workDir, 'filebeat'),
    '--path.logs',
    logDir,
  ];
  return {
    name: 'filebeat',
    ownLog: OUTPUT_LOG,
    render: (config, places) => renderFiles(config, places, dataDir),
    checkCommand: (places) => [program, 'test', 'config', ...paths(places)],
    runCommand: (places) => [program, 'run', ...paths(places)],
    hasStarted: (log) => log.includes('filebeat start running'),
    readCounters: () => undefined,
  };
}

function renderFiles(config: ShipperConfig, places: ForwarderPlaces, dataDir: string): readonly RenderedFile[] {
  const tls = tlsOf(config);
  const pems = (Object.keys(PEMS) as Array<keyof typeof PEMS>).flatMap((name) => {
    const text = tls?.[name];
    return text ? [{ name: PEMS[name], text }] : [];
  });
  const text = stringify(escapeDollars(toDocument(config, places, dataDir)), { lineWidth: 0 });
  return [{ name: CONF, text }, ...pems];
}

function toDocument(config: ShipperConfig, places: ForwarderPlaces, dataDir: string) {
  const own = config.service_logs ? serviceLogs(dataDir).map(({ path, tag }) => toInput(tag, [path])) : [];
  const given = config.inputs.filter(({ enabled }) => enabled).map(({ id, paths }) => toInput(id, paths));
  const { timestamp_processor: timestamp, drop_fields_processor: drop } = config;
  const index = config.filebeat_output.elasticsearch?.index;
  return {
    filebeat: { inputs: [...own, ...given] },
    processors: [
      {
        dissect: {
          tokenizer: `%{}/services/%{${SHIPPED_FIELDS.service}}/%{}`,
          field: SHIPPED_FIELDS.file,
          target_prefix: '',
          ignore_failure: true,
        },
      },
      ...(timestamp ? [{ timestamp: { ...timestamp, ignore_failure: true } }] : []),
      ...(drop ? [{ drop_fields: { fields: [...drop.fields], ignore_missing: true } }] : []),
    ],
    queue: { disk: { max_size: QUEUE_MAX } },
    output: toOutput(config.filebeat_output, places),
    setup: { ilm: { enabled: false }, ...(index && { template: { name: index, pattern: `${index}-*` } }) },
    logging: { to_stderr: true, to_files: false, json: true },
  };
}

function toInput(id: string, paths: readonly string[]) {
  return {
    type: 'filestream',
    id: `flotilla-${id}`,
    paths: [...paths],
    fields_under_root: true,
    fields: { [SHIPPED_FIELDS.dataset]: id },
  };
}

function toOutput({ elasticsearch, logstash }: ShipperOutput, places: ForwarderPlaces) {
  if (elasticsearch) {
    const { hosts, loadbalance, index, api_key, basic_auth, skip_ssl_verify } = elasticsearch;
    const ssl = { ...toSsl(elasticsearch.tls, places), ...(skip_ssl_verify && { verification_mode: 'none' }) };
    return {
      elasticsearch: {
        hosts: [...hosts],
        loadbalance,
        index: `${index}-%{+yyyy.MM.dd}`,
        ...(api_key !== null && { api_key }),
        ...basic_auth,
        ...(Object.keys(ssl).length > 0 && { ssl }),
      },
    };
  }
  if (!logstash) throw new Error('the configuration has no output');
  const { hosts, loadbalance, tls } = logstash;
  return {
    logstash: { hosts: [...hosts], loadbalance, ...(tls && { ssl: { enabled: true, ...toSsl(tls, places) } }) },
  };
}

function toSsl(tls: ReturnType<typeof tlsOf>, { releaseDir }: ForwarderPlaces) {
  const at = (name: keyof typeof PEMS) => join(releaseDir, PEMS[name]);
  return {
    ...(tls?.ca_cert && { certificate_authorities: [at('ca_cert')] }),
    ...(tls?.client_cert && { certificate: at('client_cert'), key: at('client_key') }),
  };
}

/** Filebeat expands `${...}` in texts, and reads `$$` as one `$`. */
function escapeDollars(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('$', '$$$$');
  if (Array.isArray(value)) return value.map(escapeDollars);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, escapeDollars(one)]));
}

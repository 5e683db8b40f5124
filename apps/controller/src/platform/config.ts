import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultEnvoyCacheDir } from '@flotilla/envoy-dist';
import { err, ok, type Result, toErrorMessage } from '@flotilla/kit';
import { type EventStoreChoice, parseEventStore } from './event-store-choice.ts';
import { type OtlpConfig, parseOtlp } from './otlp/config.ts';

/** Settings of the process. Flags override environment variables, which override defaults. */
export interface ControllerConfig {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  /** Connects as the owner of the tables, who migrates them, if the user of `databaseUrl` may only change rows. */
  readonly databaseOwnerUrl: string | undefined;
  readonly host: string;
  readonly port: number;
  /**
   * Number of proxies in front of the REST port whose X-Forwarded-For is trusted. Rate limits and the audit log use the
   * address.
   */
  readonly trustedProxies: number;
  /** The address that people open, without a path. Passkeys are bound to it. */
  readonly publicUrl: string | undefined;
  /** Further names that the REST port answers to, or `*.example.com` for every subdomain. */
  readonly allowedHosts: readonly string[];
  /** Folder of the built web UI. */
  readonly webDir: string;
  readonly grpcHost: string;
  readonly grpcPort: number;
  /**
   * Further names and addresses in the certificate of the gRPC port. Agents need none of them: they check the
   * authority.
   */
  readonly grpcNames: readonly string[];
  /** `HOST:PORT` that new agents receive, if it differs from the listening address. */
  readonly grpcAdvertise: string | undefined;
  /** Lifetime of an agent's certificate. */
  readonly agentCertificateHours: number;
  /** Interval at which agents send the statistics of their hosts. */
  readonly agentStatsS: number;
  /** Maximum number of connections of the gRPC port. */
  readonly agentConnections: number;
  readonly jwtSecret: string | undefined;
  readonly masterKey: string | undefined;
  readonly masterKeyFile: string;
  /** Private key that signs the checkpoints of the audit log's chains. */
  readonly auditKeyFile: string;
  readonly envoyCacheDir: string;
  /** Where request events are stored. */
  readonly eventStore: EventStoreChoice;
  /** Set for a start that copies all events to another store and then ends. */
  readonly moveEventsTo: EventStoreTarget | undefined;
  /** Base address of the proxy release archive; the controller relays its index.json. */
  readonly archiveUrl: string | undefined;
  /** For automation: the owner's password at the very first start, instead of a random one that is printed. */
  readonly firstOwnerPassword: string | undefined;
  /** File that keeps the random password until its first use. */
  readonly firstPasswordFile: string;
  readonly logLevel: string;
  /** Where metrics and log lines are sent. */
  readonly otlp: OtlpConfig;
  /** Set for a start that restores an installation backup into an empty database and then ends. */
  readonly restore: RestoreConfig | undefined;
}

export interface RestoreConfig {
  readonly file: string;
  readonly passphrase: string | undefined;
  /** Fingerprint of the installation that signed the backup. */
  readonly trusted: string | undefined;
}

export const CONTROLLER_USAGE = `Usage: flotilla controller [options]

  --data DIR                  embedded database, key files (SVC_DATA_DIR; .flotilla)
  --database-url URL          a PostgreSQL of your own (SVC_DATABASE_URL)
  --host HOST                 REST API and screens (SVC_HOST; 127.0.0.1)
  --port PORT                 SVC_PORT; 8099
  --web-dir DIR               the built screens (SVC_WEB_DIR)
  --grpc-host HOST            agents dial in here, always with mutual TLS (SVC_GRPC_HOST; 127.0.0.1)
  --grpc-port PORT            SVC_GRPC_PORT; 8098
  --grpc-advertise HOST:PORT  address that new agents dial (SVC_GRPC_ADVERTISE)
  --log-level LEVEL           SVC_LOG_LEVEL; info
  --restore FILE              put a backup of an installation into an empty database, and end
  --trust-key FINGERPRINT     of the installation that has signed that backup
  --move-events               copy all request events to the store that SVC_EVENT_STORE_TARGET names, and end
  --help

A flag wins over its twin in the environment. Further settings, of the environment alone: docs/guides/operations.md
`;

const OPTIONS = {
  data: { type: 'string' },
  'database-url': { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  'web-dir': { type: 'string' },
  'grpc-host': { type: 'string' },
  'grpc-port': { type: 'string' },
  'grpc-advertise': { type: 'string' },
  'log-level': { type: 'string' },
  restore: { type: 'string' },
  'trust-key': { type: 'string' },
  'move-events': { type: 'boolean' },
} as const;

export const DEFAULT_HTTP_PORT = 8099;
export const DEFAULT_GRPC_PORT = 8098;
const DEFAULT_CERTIFICATE_HOURS = 24;
const STATS_SECONDS = { default: 10, min: 5, max: 60 };
const CONNECTIONS = { default: 20_000, min: 1, max: 1_000_000 };

const parseFlags = (argv: readonly string[]) => parseArgs({ args: [...argv], options: OPTIONS, strict: true }).values;

export function parseConfig(argv: readonly string[], env: NodeJS.ProcessEnv): Result<ControllerConfig, string> {
  let flags: ReturnType<typeof parseFlags>;
  try {
    flags = parseFlags(argv);
  } catch (error) {
    return err(toErrorMessage(error));
  }
  const port = parsePort(flags.port ?? env.SVC_PORT, DEFAULT_HTTP_PORT, '--port / SVC_PORT');
  const grpcPort = parsePort(flags['grpc-port'] ?? env.SVC_GRPC_PORT, DEFAULT_GRPC_PORT, '--grpc-port / SVC_GRPC_PORT');
  if (!port.ok) return port;
  if (!grpcPort.ok) return grpcPort;
  const agents = parseAgentLimits(env);
  if (!agents.ok) return agents;
  const trustedProxies = Number(env.SVC_TRUSTED_PROXIES || 0);
  if (!Number.isInteger(trustedProxies) || trustedProxies < 0 || trustedProxies > 16)
    return err('SVC_TRUSTED_PROXIES must be the number of proxies in front, up to 16');
  const names = parseNames(env);
  if (!names.ok) return names;
  const jwtSecret = env.SVC_JWT_SECRET || undefined;
  if (jwtSecret !== undefined && jwtSecret.length < 32) return err('SVC_JWT_SECRET must have 32 characters or more');
  const dataDir = resolve(flags.data ?? env.SVC_DATA_DIR ?? '.flotilla');
  const stores = parseStores(env, dataDir, flags);
  if (!stores.ok) return stores;
  const otlp = parseOtlp(env);
  if (!otlp.ok) return otlp;
  return ok({
    dataDir,
    databaseUrl: flags['database-url'] ?? (env.SVC_DATABASE_URL || undefined),
    databaseOwnerUrl: env.SVC_DATABASE_OWNER_URL || undefined,
    host: flags.host ?? env.SVC_HOST ?? '127.0.0.1',
    port: port.value,
    trustedProxies,
    ...names.value,
    webDir: resolve(flags['web-dir'] ?? (env.SVC_WEB_DIR || defaultWebDir())),
    grpcHost: flags['grpc-host'] ?? env.SVC_GRPC_HOST ?? '127.0.0.1',
    grpcPort: grpcPort.value,
    grpcNames: listOf(env.SVC_GRPC_NAMES),
    grpcAdvertise: flags['grpc-advertise'] ?? (env.SVC_GRPC_ADVERTISE || undefined),
    ...agents.value,
    jwtSecret,
    masterKey: env.SVC_MASTER_KEY || undefined,
    masterKeyFile: env.SVC_MASTER_KEY_FILE ?? join(dataDir, 'master.key'),
    auditKeyFile: env.SVC_AUDIT_KEY_FILE || join(dataDir, 'audit.key'),
    envoyCacheDir: env.SVC_ENVOY_CACHE_DIR || defaultEnvoyCacheDir(env),
    ...stores.value,
    archiveUrl: env.SVC_ARCHIVE_URL || undefined,
    firstPasswordFile: join(dataDir, 'first-owner-password'),
    firstOwnerPassword: env.SVC_FIRST_OWNER_PASSWORD || undefined,
    logLevel: flags['log-level'] ?? env.SVC_LOG_LEVEL ?? 'info',
    otlp: otlp.value,
    restore: readRestore(flags, env),
  });
}

function readRestore(flags: ReturnType<typeof parseFlags>, env: NodeJS.ProcessEnv): RestoreConfig | undefined {
  if (flags.restore === undefined) return undefined;
  return {
    file: resolve(flags.restore),
    passphrase: env.SVC_RESTORE_PASSPHRASE || undefined,
    trusted: flags['trust-key'],
  };
}

type Stores = Pick<ControllerConfig, 'eventStore' | 'moveEventsTo'>;

function parseStores(
  env: NodeJS.ProcessEnv,
  dataDir: string,
  { 'move-events': isMove }: ReturnType<typeof parseFlags>,
): Result<Stores, string> {
  const eventStore = parseEventStore(env.SVC_EVENT_STORE, dataDir);
  if (!eventStore.ok) return eventStore;
  if (!isMove) return ok({ eventStore: eventStore.value, moveEventsTo: undefined });
  const target = parseTarget(eventStore.value, env.SVC_EVENT_STORE_TARGET, dataDir);
  if (!target.ok) return target;
  return ok({ eventStore: eventStore.value, moveEventsTo: target.value });
}

/** A store that has events: the event store may also be switched off. */
export type EventStoreTarget = Exclude<EventStoreChoice, { kind: 'off' }>;

function parseTarget(
  from: EventStoreChoice,
  text: string | undefined,
  dataDir: string,
): Result<EventStoreTarget | undefined, string> {
  if (!text) return err('--move-events needs SVC_EVENT_STORE_TARGET: file, or an address like that of SVC_EVENT_STORE');
  const target = parseEventStore(text === 'file' ? '' : text, dataDir);
  if (!target.ok) return err(target.error.replace('SVC_EVENT_STORE ', 'SVC_EVENT_STORE_TARGET '));
  if (target.value.kind === 'off' || from.kind === 'off')
    return err('--move-events needs two event stores that are not off');
  if (from.kind === target.value.kind && placeOf(from) === placeOf(target.value)) {
    return err('--move-events needs two different event stores');
  }
  return ok(target.value);
}

/** Without credentials. */
function placeOf(choice: EventStoreTarget): string {
  return choice.kind === 'duckdb' ? choice.path : `${choice.url}/${choice.database}`;
}

const HOST_NAME = /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

/** The names that the REST port answers to. */
function parseNames(env: NodeJS.ProcessEnv): Result<Pick<ControllerConfig, 'publicUrl' | 'allowedHosts'>, string> {
  const publicUrl = env.SVC_PUBLIC_URL || undefined;
  if (publicUrl !== undefined && !isAddress(publicUrl))
    return err('SVC_PUBLIC_URL must be an address without a path, like https://flotilla.example.com');
  const allowedHosts = listOf(env.SVC_ALLOWED_HOSTS).map((name) => name.toLowerCase());
  if (allowedHosts.some((name) => !HOST_NAME.test(name)))
    return err('SVC_ALLOWED_HOSTS must be names of hosts without ports, or *.NAME, separated by commas');
  return ok({ publicUrl, allowedHosts });
}

function listOf(text: string | undefined): string[] {
  return (text ?? '').split(',').flatMap((name) => name.trim() || []);
}

function isAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && text.replace(/\/$/, '') === url.origin;
}

/** Next to the bundle, or the build output when running from sources. */
function defaultWebDir(): string {
  const isBundled = import.meta.filename.endsWith('.mjs');
  return join(import.meta.dirname, isBundled ? 'web' : '../../../../dist/web');
}

type AgentLimits = Pick<ControllerConfig, 'agentCertificateHours' | 'agentStatsS' | 'agentConnections'>;

function parseAgentLimits(env: NodeJS.ProcessEnv): Result<AgentLimits, string> {
  const agentCertificateHours = Number(env.SVC_AGENT_CERT_HOURS || DEFAULT_CERTIFICATE_HOURS);
  if (!(agentCertificateHours > 0 && agentCertificateHours <= 24 * 365))
    return err('SVC_AGENT_CERT_HOURS must be hours, up to a year');
  const stats = parseWhole(env, 'SVC_AGENT_STATS_SECONDS', STATS_SECONDS);
  if (!stats.ok) return stats;
  const connections = parseWhole(env, 'SVC_AGENT_CONNECTIONS', CONNECTIONS);
  if (!connections.ok) return connections;
  return ok({ agentCertificateHours, agentStatsS: stats.value, agentConnections: connections.value });
}

function parseWhole(
  env: NodeJS.ProcessEnv,
  name: string,
  { default: fallback, min, max }: { readonly default: number; readonly min: number; readonly max: number },
): Result<number, string> {
  const value = Number(env[name] || fallback);
  return Number.isInteger(value) && value >= min && value <= max
    ? ok(value)
    : err(`${name} must be a whole number from ${min} to ${max}, not "${env[name]}"`);
}

function parsePort(text: string | undefined, fallback: number, name: string): Result<number, string> {
  if (text === undefined || text === '') return ok(fallback);
  const port = Number(text);
  return Number.isInteger(port) && port >= 0 && port <= 65_535
    ? ok(port)
    : err(`${name} must be a port number, not "${text}"`);
}

import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultEnvoyCacheDir } from '@flotilla/envoy-dist';
import { err, ok, type Result, toErrorMessage } from '@flotilla/kit';

/** What the process is told from outside. Flags win over environment variables, these over defaults. */
export interface ControllerConfig {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  /** Of the user who owns and migrates the tables, where `databaseUrl` is of one who only works with their rows. */
  readonly databaseOwnerUrl: string | undefined;
  readonly host: string;
  readonly port: number;
  /** Proxies in front of the REST port whose X-Forwarded-For is believed: limits and the audit log count callers by it. */
  readonly trustedProxies: number;
  /** The address that people open, without a path: passkeys belong to it. */
  readonly publicUrl: string | undefined;
  /** Where the built screens lie. */
  readonly webDir: string;
  readonly grpcHost: string;
  readonly grpcPort: number;
  /** Further names and addresses in the certificate of the gRPC port. Agents need none of them: they know it by its authority. */
  readonly grpcNames: readonly string[];
  /** `HOST:PORT` to tell new agents, where it differs from what we listen on. */
  readonly grpcAdvertise: string | undefined;
  /** How long an agent's certificate is good for. */
  readonly agentCertificateHours: number;
  readonly jwtSecret: string | undefined;
  readonly masterKey: string | undefined;
  readonly masterKeyFile: string;
  /** Private key that signs the ends of the audit log's chains. */
  readonly auditKeyFile: string;
  readonly envoyCacheDir: string;
  /** Base address of the proxy release archive; its index.json is relayed. */
  readonly archiveUrl: string | undefined;
  /** For automation: the owner's password at the very first start, instead of a random one that is printed. */
  readonly firstOwnerPassword: string | undefined;
  /** Where the random one lies until it was used. */
  readonly firstPasswordFile: string;
  readonly logLevel: string;
  /** Of a start that puts a backup of an installation into an empty database and ends. */
  readonly restore: RestoreConfig | undefined;
}

export interface RestoreConfig {
  readonly file: string;
  readonly passphrase: string | undefined;
  /** Fingerprint of the installation that has signed the backup. */
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
  --grpc-advertise HOST:PORT  what new agents are told to dial (SVC_GRPC_ADVERTISE)
  --log-level LEVEL           SVC_LOG_LEVEL; info
  --restore FILE              put a backup of an installation into an empty database, and end
  --trust-key FINGERPRINT     of the installation that has signed that backup
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
} as const;

export const DEFAULT_HTTP_PORT = 8099;
export const DEFAULT_GRPC_PORT = 8098;
const DEFAULT_CERTIFICATE_HOURS = 24;

export function parseConfig(argv: readonly string[], env: NodeJS.ProcessEnv): Result<ControllerConfig, string> {
  let flags: Record<string, string | undefined>;
  try {
    flags = parseArgs({ args: [...argv], options: OPTIONS, strict: true }).values;
  } catch (error) {
    return err(toErrorMessage(error));
  }
  const port = parsePort(flags.port ?? env.SVC_PORT, DEFAULT_HTTP_PORT, '--port / SVC_PORT');
  const grpcPort = parsePort(flags['grpc-port'] ?? env.SVC_GRPC_PORT, DEFAULT_GRPC_PORT, '--grpc-port / SVC_GRPC_PORT');
  if (!port.ok) return port;
  if (!grpcPort.ok) return grpcPort;
  const certificateHours = Number(env.SVC_AGENT_CERT_HOURS || DEFAULT_CERTIFICATE_HOURS);
  if (!(certificateHours > 0 && certificateHours <= 24 * 365))
    return err('SVC_AGENT_CERT_HOURS must be hours, up to a year');
  const trustedProxies = Number(env.SVC_TRUSTED_PROXIES || 0);
  if (!Number.isInteger(trustedProxies) || trustedProxies < 0 || trustedProxies > 16)
    return err('SVC_TRUSTED_PROXIES must be the number of proxies in front, up to 16');
  const publicUrl = env.SVC_PUBLIC_URL || undefined;
  if (publicUrl !== undefined && !isAddress(publicUrl))
    return err('SVC_PUBLIC_URL must be an address without a path, like https://flotilla.example.com');
  const jwtSecret = env.SVC_JWT_SECRET || undefined;
  if (jwtSecret !== undefined && jwtSecret.length < 32) return err('SVC_JWT_SECRET must have 32 characters or more');
  const dataDir = resolve(flags.data ?? env.SVC_DATA_DIR ?? '.flotilla');
  return ok({
    dataDir,
    databaseUrl: flags['database-url'] ?? (env.SVC_DATABASE_URL || undefined),
    databaseOwnerUrl: env.SVC_DATABASE_OWNER_URL || undefined,
    host: flags.host ?? env.SVC_HOST ?? '127.0.0.1',
    port: port.value,
    trustedProxies,
    publicUrl,
    webDir: resolve(flags['web-dir'] ?? (env.SVC_WEB_DIR || defaultWebDir())),
    grpcHost: flags['grpc-host'] ?? env.SVC_GRPC_HOST ?? '127.0.0.1',
    grpcPort: grpcPort.value,
    grpcNames: (env.SVC_GRPC_NAMES ?? '').split(',').flatMap((name) => name.trim() || []),
    grpcAdvertise: flags['grpc-advertise'] ?? (env.SVC_GRPC_ADVERTISE || undefined),
    agentCertificateHours: certificateHours,
    jwtSecret,
    masterKey: env.SVC_MASTER_KEY || undefined,
    masterKeyFile: env.SVC_MASTER_KEY_FILE ?? join(dataDir, 'master.key'),
    auditKeyFile: env.SVC_AUDIT_KEY_FILE || join(dataDir, 'audit.key'),
    envoyCacheDir: env.SVC_ENVOY_CACHE_DIR || defaultEnvoyCacheDir(env),
    archiveUrl: env.SVC_ARCHIVE_URL || undefined,
    firstPasswordFile: join(dataDir, 'first-owner-password'),
    firstOwnerPassword: env.SVC_FIRST_OWNER_PASSWORD || undefined,
    logLevel: flags['log-level'] ?? env.SVC_LOG_LEVEL ?? 'info',
    restore:
      flags.restore === undefined
        ? undefined
        : {
            file: resolve(flags.restore),
            passphrase: env.SVC_RESTORE_PASSPHRASE || undefined,
            trusted: flags['trust-key'],
          },
  });
}

function isAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && text.replace(/\/$/, '') === url.origin;
}

/** Beside the bundle; run from the sources, where a build puts them. */
function defaultWebDir(): string {
  const isBundled = import.meta.filename.endsWith('.mjs');
  return join(import.meta.dirname, isBundled ? 'web' : '../../../dist/web');
}

function parsePort(text: string | undefined, fallback: number, name: string): Result<number, string> {
  if (text === undefined || text === '') return ok(fallback);
  const port = Number(text);
  return Number.isInteger(port) && port >= 0 && port <= 65_535
    ? ok(port)
    : err(`${name} must be a port number, not "${text}"`);
}

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { homedir, hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultEnvoyCacheDir } from '@flotilla/envoy-dist';
import { err, ok, type Result, toErrorMessage } from '@flotilla/kit';
import { deriveServiceLayout } from '@flotilla/proto';
import { findLabelProblem, LABELS_MAX, parseLabel } from '@flotilla/proto/commands';
import { longestSocketPath } from './host/envoy/instance.ts';
import type { ControllerAddress } from './link/controller-client.ts';
import { type RoutingPaths, readFrrPaths } from './routing/frr-paths.ts';

/** Configuration of the agent. Flags take precedence over environment variables, and these over defaults. */
export interface AgentConfig {
  readonly controller: ControllerAddress;
  /** Needed only for the first start. */
  readonly enrolToken: string | undefined;
  readonly dataDir: string;
  /** Folder of the Unix sockets of all services. Its path must be short. */
  readonly runtimeDir: string;
  readonly envoyCacheDir: string;
  readonly name: string;
  readonly mode: 'auto' | 'supervisor' | 'systemd';
  /** Default: services keep running when the agent ends, and the next agent adopts them. */
  readonly stopServicesOnExit: boolean;
  /**
   * Runs a second filter process per protected service. It takes over at once when the first one dies, and needs about 110 MB.
   */
  readonly hasWarmFilter: boolean;
  /** The most MiB of all installed versions of Envoy and the WAF module. */
  readonly versionQuotaMib: number;
  /** The most MiB of access logs that wait for the controller, of all services. */
  readonly logSpoolMib: number;
  /** Reads the cloud provider from the firmware and from the link-local metadata address. */
  readonly detectsCloud: boolean;
  /** The controller stores them when the host enrols. */
  readonly labels: Readonly<Record<string, string>>;
  readonly frr: RoutingPaths;
  /** Contains etc/netplan; `/` except in tests and containers. */
  readonly networkRoot: string;
  /** How changes of interfaces are applied: see NetworkSettings. */
  readonly networkDriver: 'auto' | 'netplan' | 'ip';
  /** The addresses for the heartbeats of a pair, if the operator names them. */
  readonly haAddresses: { readonly data: string | undefined; readonly mgmt: string | undefined };
  readonly logLevel: string;
}

const DEFAULT_CONTROLLER_PORT = 8098;
/** sun_path of unix(7), without the final NUL. */
const SOCKET_PATH_MAX = 107;

export const AGENT_USAGE = `Usage: flotilla agent --controller HOST[:PORT] [options]

  --controller HOST:PORT     address of the controller's gRPC port (SVC_AGENT_CONTROLLER)
  --enrol-token TOKEN        one-time token, for the first start (other users cannot see SVC_AGENT_ENROL_TOKEN)
  --enrol-token-file FILE    the same, read from a file (SVC_AGENT_ENROL_TOKEN_FILE)
  --data DIR                 keys, bootstraps, logs, last good sets (SVC_AGENT_DATA)
  --runtime DIR              sockets; a short path (SVC_AGENT_RUNTIME)
  --name NAME                shown in lists; the host's name by default (SVC_AGENT_NAME)
  --mode MODE                auto, supervisor or systemd (SVC_AGENT_MODE)
  --stop-services-on-exit    stop the proxies when the agent stops; by default they keep running (SVC_AGENT_STOP_SERVICES=true)
  --warm-filter on|off       a second filter per protected service, which takes over when the first one dies (SVC_AGENT_WARM_FILTER; on)
  --version-quota MIB        the most space of installed versions; unused ones are removed for new ones (SVC_AGENT_VERSION_QUOTA; 4096)
  --log-spool MIB            the most space of access logs that wait for the controller (SVC_AGENT_LOG_SPOOL; 256)
  --label KEY=VALUE          a label of the client, stored when the host enrols; may be repeated (SVC_AGENT_LABELS=KEY=VALUE,...)
  --cloud-detection on|off   read the cloud provider from DMI and from the metadata address 169.254.169.254 (SVC_AGENT_CLOUD_DETECTION; on)
  --frr-shell FILE           FRR's vtysh (SVC_AGENT_FRR_SHELL; /usr/bin/vtysh)
  --frr-sockets DIR          the folder of the sockets of FRR's daemons (SVC_AGENT_FRR_SOCKETS; /var/run/frr)
  --frr-config FILE          the file that FRR reads when it starts (SVC_AGENT_FRR_CONFIG; /etc/frr/frr.conf)
  --network-driver DRIVER    auto, netplan, or ip on hosts without systemd-networkd (SVC_AGENT_NETWORK_DRIVER)
  --network-root DIR         where etc/netplan and etc/iproute2 are (SVC_AGENT_NETWORK_ROOT; /)
  --ha-data-address ADDRESS  IPv4 address for heartbeats on the data network; found by the default route (SVC_AGENT_HA_DATA_ADDRESS)
  --ha-mgmt-address ADDRESS  the same on the management network; found by the way to the controller (SVC_AGENT_HA_MGMT_ADDRESS)
  --log-level LEVEL          SVC_LOG_LEVEL
`;

const OPTIONS = {
  controller: { type: 'string' },
  'enrol-token': { type: 'string' },
  'enrol-token-file': { type: 'string' },
  data: { type: 'string' },
  runtime: { type: 'string' },
  name: { type: 'string' },
  mode: { type: 'string' },
  'stop-services-on-exit': { type: 'boolean' },
  'warm-filter': { type: 'string' },
  'version-quota': { type: 'string' },
  'log-spool': { type: 'string' },
  label: { type: 'string', multiple: true },
  'cloud-detection': { type: 'string' },
  'frr-shell': { type: 'string' },
  'frr-sockets': { type: 'string' },
  'frr-config': { type: 'string' },
  'network-driver': { type: 'string' },
  'network-root': { type: 'string' },
  'ha-data-address': { type: 'string' },
  'ha-mgmt-address': { type: 'string' },
  'log-level': { type: 'string' },
  help: { type: 'boolean' },
} as const;

/** Returns `help` if the usage was requested. */
export function parseConfig(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): Result<AgentConfig, string> | { readonly ok: 'help' } {
  let flags: ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];
  try {
    flags = parseArgs({ args: [...argv], options: OPTIONS, strict: true }).values;
  } catch (error) {
    return err(toErrorMessage(error));
  }
  if (flags.help) return { ok: 'help' };
  const address = flags.controller ?? env.SVC_AGENT_CONTROLLER;
  if (!address) return err('the address of the controller is missing: give --controller HOST:PORT');
  const controller = parseAddress(address);
  if (!controller) return err(`--controller must be HOST:PORT, not "${address}"`);
  const token = readToken(flags, env);
  if (!token.ok) return token;
  const mode = readMode(flags.mode ?? env.SVC_AGENT_MODE ?? 'auto');
  if (!mode.ok) return mode;
  const warmFilter = flags['warm-filter'] ?? (env.SVC_AGENT_WARM_FILTER || 'on');
  if (warmFilter !== 'on' && warmFilter !== 'off') return err(`--warm-filter must be on or off, not "${warmFilter}"`);
  const cloudDetection = flags['cloud-detection'] ?? (env.SVC_AGENT_CLOUD_DETECTION || 'on');
  if (cloudDetection !== 'on' && cloudDetection !== 'off') {
    return err(`--cloud-detection must be on or off, not "${cloudDetection}"`);
  }
  const networkDriver = readNetworkDriver(flags['network-driver'] ?? (env.SVC_AGENT_NETWORK_DRIVER || 'auto'));
  if (!networkDriver.ok) return networkDriver;
  const versionQuota = readMib('--version-quota', flags['version-quota'] ?? env.SVC_AGENT_VERSION_QUOTA, 4096);
  if (!versionQuota.ok) return versionQuota;
  const logSpool = readMib('--log-spool', flags['log-spool'] ?? env.SVC_AGENT_LOG_SPOOL, 256);
  if (!logSpool.ok) return logSpool;
  const labels = readLabels(flags.label ?? (env.SVC_AGENT_LABELS || undefined)?.split(',') ?? []);
  if (!labels.ok) return labels;
  const haAddresses = readHaAddresses(flags, env);
  if (!haAddresses.ok) return haAddresses;
  const dataDir = resolve(flags.data ?? (env.SVC_AGENT_DATA || defaultDataDir(env)));
  const runtimeDir = resolve(flags.runtime ?? (env.SVC_AGENT_RUNTIME || defaultRuntimeDir(env, dataDir)));
  const longest = longestSocketPath(deriveServiceLayout({ runtimeDir, dataDir }, 'any'));
  if (Buffer.byteLength(longest) > SOCKET_PATH_MAX) return err(describeLongPath(runtimeDir));
  return ok({
    controller,
    enrolToken: token.value,
    dataDir,
    runtimeDir,
    envoyCacheDir: env.SVC_ENVOY_CACHE_DIR || defaultEnvoyCacheDir({ ...env, SVC_DATA_DIR: dataDir }),
    name: flags.name ?? (env.SVC_AGENT_NAME || hostname()),
    mode: mode.value,
    stopServicesOnExit: flags['stop-services-on-exit'] ?? env.SVC_AGENT_STOP_SERVICES === 'true',
    versionQuotaMib: versionQuota.value,
    logSpoolMib: logSpool.value,
    hasWarmFilter: warmFilter === 'on',
    detectsCloud: cloudDetection === 'on',
    labels: labels.value,
    frr: readFrrPaths(flags, env),
    networkRoot: resolve(flags['network-root'] ?? (env.SVC_AGENT_NETWORK_ROOT || '/')),
    networkDriver: networkDriver.value,
    haAddresses: haAddresses.value,
    logLevel: flags['log-level'] ?? env.SVC_LOG_LEVEL ?? 'info',
  });
}

function describeLongPath(runtimeDir: string): string {
  return `--runtime ${runtimeDir} is too long: paths of sockets in it would exceed ${SOCKET_PATH_MAX} bytes; give a shorter path`;
}

function readHaAddresses(
  flags: { 'ha-data-address'?: string | undefined; 'ha-mgmt-address'?: string | undefined },
  env: NodeJS.ProcessEnv,
): Result<AgentConfig['haAddresses'], string> {
  const data = flags['ha-data-address'] ?? (env.SVC_AGENT_HA_DATA_ADDRESS || undefined);
  const mgmt = flags['ha-mgmt-address'] ?? (env.SVC_AGENT_HA_MGMT_ADDRESS || undefined);
  for (const [name, address] of Object.entries({ data, mgmt }))
    if (address !== undefined && !isIPv4(address))
      return err(`--ha-${name}-address must be an IPv4 address, not "${address}"`);
  return ok({ data, mgmt });
}

function readMib(option: string, text: string | undefined, fallback: number): Result<number, string> {
  const mib = Number(text || fallback);
  return Number.isSafeInteger(mib) && mib >= 1
    ? ok(mib)
    : err(`${option} must be a number of MiB, such as ${fallback}`);
}

function readMode(text: string): Result<AgentConfig['mode'], string> {
  const mode = (['auto', 'supervisor', 'systemd'] as const).find((one) => one === text);
  return mode ? ok(mode) : err(`--mode must be auto, supervisor or systemd, not "${text}"`);
}

function readNetworkDriver(text: string): Result<AgentConfig['networkDriver'], string> {
  const driver = (['auto', 'netplan', 'ip'] as const).find((one) => one === text);
  return driver ? ok(driver) : err(`--network-driver must be auto, netplan or ip, not "${text}"`);
}

/** Parses `host`, `host:port`, `[::1]` or `[::1]:port`. */
export function parseAddress(text: string): ControllerAddress | undefined {
  const [, bracketed, plain, portText] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = portText === undefined ? DEFAULT_CONTROLLER_PORT : Number(portText);
  return host && port > 0 && port <= 65_535 ? { host, port } : undefined;
}

function readLabels(texts: readonly string[]): Result<Readonly<Record<string, string>>, string> {
  const labels = new Map<string, string>();
  for (const text of texts) {
    const { key, value } = parseLabel(text);
    if (value === undefined) return err(`--label must be KEY=VALUE, not "${text}"`);
    const problem = findLabelProblem(key, value);
    if (problem !== undefined) return err(`--label: ${problem}`);
    labels.set(key, value);
  }
  if (labels.size > LABELS_MAX) return err(`a client has at most ${LABELS_MAX} labels; ${labels.size} were given`);
  return ok(Object.fromEntries(labels));
}

function readToken(
  flags: { 'enrol-token'?: string | undefined; 'enrol-token-file'?: string | undefined },
  env: NodeJS.ProcessEnv,
): Result<string | undefined, string> {
  const file = flags['enrol-token-file'] ?? env.SVC_AGENT_ENROL_TOKEN_FILE;
  const given = flags['enrol-token'] ?? env.SVC_AGENT_ENROL_TOKEN;
  if (given) return ok(given.trim());
  if (!file) return ok(undefined);
  try {
    return ok(readFileSync(file, 'utf8').trim());
  } catch (error) {
    return err(`--enrol-token-file ${file} cannot be read: ${toErrorMessage(error)}`);
  }
}

function defaultDataDir(env: NodeJS.ProcessEnv): string {
  if (process.getuid?.() === 0) return '/var/lib/flotilla/agent';
  return join(env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state'), 'flotilla', 'agent');
}

/** Returns a separate folder for each data folder, so that two agents on one machine do not conflict. */
function defaultRuntimeDir(env: NodeJS.ProcessEnv, dataDir: string): string {
  const name = `flotilla-${createHash('sha256').update(dataDir).digest('hex').slice(0, 8)}`;
  // Service users cannot access root's XDG_RUNTIME_DIR.
  if (process.getuid?.() === 0) return join('/run', name);
  return join(env.XDG_RUNTIME_DIR || tmpdir(), name);
}

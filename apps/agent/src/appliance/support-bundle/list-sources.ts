import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { haPlaces } from '../../ha/places.ts';
import { agentLogDir } from '../../logs/targets.ts';
import type { BundleFolder } from './bundle-folder.ts';
import type { BundleOrder } from './order.ts';
import { commandSource, fileSource, folderSources, logSources } from './read-source.ts';
import type { BundleSource } from './source.ts';

const MIB = 1024 ** 2;
/** An answer of Envoy, without secrets. */
const PART_MAX = 16 * MIB;
const PARTS_MAX = 1000;
const JOURNAL_LINES = 20_000;
const HOST_LOGS = ['syslog', 'messages', 'kern.log', 'daemon.log', 'dpkg.log', 'apt/history.log', 'frr/frr.log'];
const SYSTEM_FILES = [
  '/proc/cmdline',
  '/proc/cpuinfo',
  '/proc/loadavg',
  '/proc/meminfo',
  '/proc/modules',
  '/proc/mounts',
  '/proc/net/snmp',
  '/proc/net/softnet_stat',
  '/proc/pressure/cpu',
  '/proc/pressure/io',
  '/proc/pressure/memory',
  '/proc/uptime',
  '/proc/version',
];

/** The files of the agent that contain secrets. They are read to find the secrets elsewhere, and are never part of a bundle. */
export function listSecretFiles({ dataDir }: Pick<BundleOrder, 'dataDir'>): string[] {
  return [
    join(dataDir, 'identity.json'),
    join(dataDir, 'enrolment.json'),
    join(dataDir, 'log-forwarding', 'syslog', 'state.json'),
    join(dataDir, 'routing', 'revisions.json'),
    join(dataDir, 'routing', 'intent.json'),
  ];
}

/** Everything with a configuration, which tells which values are secrets. */
export async function listConfigSources({ root, vtysh, services }: BundleOrder): Promise<BundleSource[]> {
  const etc = (path: string) => join(root, 'etc', path);
  return [
    ...(await folderSources('network/netplan', etc('netplan'), { kind: 'netplan', pattern: /\.yaml$/ })),
    ...(await folderSources('network/run-netplan', join(root, 'run/netplan'), { kind: 'netplan', pattern: /\.yaml$/ })),
    ...(await folderSources('network/networkd', etc('systemd/network'), {
      kind: 'networkd',
      pattern: /\.(?:network|netdev|link)$/,
    })),
    fileSource('routing/frr.conf', etc('frr/frr.conf'), { kind: 'frr' }),
    fileSource('routing/daemons', etc('frr/daemons')),
    commandSource('routing/running-config.txt', [vtysh, '-c', 'show running-config'], 'frr'),
    fileSource('syslog/rsyslog.conf', etc('rsyslog.conf'), { kind: 'rsyslog' }),
    ...(await folderSources('syslog/rsyslog.d', etc('rsyslog.d'), { kind: 'rsyslog', pattern: /\.conf$/ })),
    ...services.map(({ key, bootstrapFile }) =>
      fileSource(`services/${key}/bootstrap.json`, bootstrapFile, { kind: 'json', max: 8 * MIB }),
    ),
  ];
}

/** Everything else: state, versions and logs. */
export async function listOtherSources(order: BundleOrder, folder: BundleFolder): Promise<BundleSource[]> {
  return [...(await listParts(folder)), ...listNetworkState(), ...listSystemState(order), ...(await listLogs(order))];
}

/** The answers that the agent has stored. */
async function listParts({ parts }: BundleFolder): Promise<BundleSource[]> {
  const entries = await readdir(parts, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .slice(0, PARTS_MAX)
    .map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return { ...fileSource(relative(parts, path), path, { kind: 'json', max: PART_MAX }), from: 'the agent' };
    });
}

function listNetworkState(): BundleSource[] {
  return [
    commandSource('network/addresses.json', ['ip', '-j', '-d', 'address', 'show']),
    commandSource('network/links.json', ['ip', '-j', '-s', 'link', 'show']),
    commandSource('network/routes.json', ['ip', '-j', '-4', 'route', 'show', 'table', 'all']),
    commandSource('network/routes6.json', ['ip', '-j', '-6', 'route', 'show', 'table', 'all']),
    commandSource('network/rules.json', ['ip', '-j', '-4', 'rule', 'show']),
    commandSource('network/rules6.json', ['ip', '-j', '-6', 'rule', 'show']),
    commandSource('network/neighbours.json', ['ip', '-j', 'neighbour', 'show']),
    commandSource('network/sockets.txt', ['ss', '-tuna']),
    commandSource('network/firewall.txt', ['nft', 'list', 'ruleset']),
    fileSource('network/resolv.conf', '/etc/resolv.conf', { mayBeLink: true }),
    fileSource('network/hosts', '/etc/hosts'),
  ];
}

function listSystemState({ root, vtysh }: BundleOrder): BundleSource[] {
  return [
    fileSource('system/os-release', join(root, 'etc/os-release'), { mayBeLink: true }),
    ...SYSTEM_FILES.map((path) => fileSource(`system${path}`, path, { mayBeLink: true })),
    // Arguments of programs may contain passwords.
    commandSource('system/processes.txt', ['ps', '-eo', 'pid,ppid,user,stat,etimes,rss,pcpu,comm']),
    commandSource('system/disks.txt', ['df', '-PT']),
    commandSource('system/inodes.txt', ['df', '-Pi']),
    commandSource('system/kernel.txt', ['dmesg', '-T']),
    commandSource('system/failed-units.txt', ['systemctl', '--no-pager', '--plain', 'list-units', '--failed']),
    commandSource('system/packages-deb.txt', ['dpkg-query', '-W']),
    commandSource('system/packages-rpm.txt', ['rpm', '-qa']),
    commandSource('routing/version.txt', [vtysh, '-c', 'show version']),
    commandSource('routing/bgp-summary.json', [vtysh, '-c', 'show bgp summary json']),
    commandSource('routing/bfd-peers.json', [vtysh, '-c', 'show bfd peers json']),
    commandSource('syslog/version.txt', ['rsyslogd', '-v']),
  ];
}

async function listLogs({ root, dataDir, services, journalCommand }: BundleOrder): Promise<BundleSource[]> {
  const journal = ['--no-pager', '--utc', '-o', 'short-iso', '-n', String(JOURNAL_LINES)];
  const logs = await Promise.all([
    logSources('agent/logs', agentLogDir(dataDir)),
    logSources('syslog/forwarder', join(dataDir, 'log-forwarding', 'syslog', 'logs')),
    logSources('ha/logs', haPlaces(dataDir).logDir),
    ...services.flatMap(({ key, logDir, filesDir }) => [
      logSources(`services/${key}/logs`, logDir),
      logSources(`services/${key}/access-logs`, filesDir),
    ]),
  ]);
  return [
    ...logs.flat(),
    commandSource('host/journal.txt', [...journalCommand, ...journal]),
    ...HOST_LOGS.map((path) =>
      fileSource(`host/logs/${path.replaceAll('/', '-')}`, join(root, 'var/log', path), { max: 8 * MIB }),
    ),
  ];
}

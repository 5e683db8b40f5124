import type { UnitSpec } from './types.ts';

/** Returns the name of a unit file. It contains the service's key, so that one pattern finds all units of a service. */
export function unitNameOf(unit: { serviceKey: string; name: string }): string {
  return `flotilla-${unit.serviceKey}-${unit.name}.service`;
}

const DESCRIPTIONS: Readonly<Record<UnitSpec['kind'], string>> = {
  envoy: 'Envoy of service',
  shield: 'Request filter of service',
  forwarder: 'Log forwarder',
  ha: 'Shared addresses',
};
/**
 * A forwarder reads the logs of all services, which belong to their users. The daemon of a pair changes addresses, and its programs
 * send ARP and ICMP.
 */
const CAPABILITY: Readonly<Record<UnitSpec['kind'], string>> = {
  envoy: 'CAP_NET_BIND_SERVICE',
  shield: 'CAP_NET_BIND_SERVICE',
  forwarder: 'CAP_DAC_READ_SEARCH',
  ha: 'CAP_NET_ADMIN CAP_NET_RAW',
};

/**
 * Returns the unit file of one Envoy or filter. It runs as the service's user, may only bind low ports and write to its own
 * folders, and is always restarted.
 */
export function renderUnitFile(spec: UnitSpec): string {
  const capability = CAPABILITY[spec.kind];
  // A private /tmp would hide folders in /tmp.
  const isTemporary = [spec.workDir, ...spec.writableDirs].some((dir) => /^\/(var\/)?tmp\//.test(dir));
  const user = spec.identity ? [`User=${spec.identity.uid}`, `Group=${spec.identity.gid}`] : [];
  const lines = [
    '[Unit]',
    `Description=Flotilla: ${DESCRIPTIONS[spec.kind]} ${spec.serviceKey} (${spec.name})`,
    'After=network-online.target',
    'Wants=network-online.target',
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    'Type=exec',
    `ExecStart=${spec.command.map(quote).join(' ')}`,
    ...Object.entries(spec.env).map(([name, value]) => `Environment=${quote(`${name}=${value}`)}`),
    `WorkingDirectory=${escapeSpecifiers(spec.workDir)}`,
    `StandardOutput=append:${escapeSpecifiers(spec.logFile)}`,
    `StandardError=append:${escapeSpecifiers(spec.logFile)}`,
    ...user,
    'Restart=always',
    'RestartSec=500ms',
    'KillMode=mixed',
    'TimeoutStopSec=10s',
    'LimitNOFILE=1048576',
    // A busy processor must not delay heartbeats.
    ...(spec.kind === 'ha' ? ['Nice=-10'] : []),
    // The memory of a proxy and its filter contains private keys and secrets.
    'LimitCORE=0',
    `AmbientCapabilities=${capability}`,
    `CapabilityBoundingSet=${capability}`,
    'NoNewPrivileges=yes',
    'ProtectSystem=strict',
    `ReadWritePaths=${spec.writableDirs.map(quote).join(' ')}`,
    ...(isTemporary ? [] : ['PrivateTmp=yes']),
    'PrivateDevices=yes',
    'ProtectHome=read-only',
    'ProtectClock=yes',
    'ProtectHostname=yes',
    'ProtectKernelLogs=yes',
    'ProtectKernelModules=yes',
    // It sets net.ipv4.ip_nonlocal_bind.
    ...(spec.kind === 'ha' ? [] : ['ProtectKernelTunables=yes']),
    'ProtectControlGroups=yes',
    `RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK${spec.kind === 'ha' ? ' AF_PACKET' : ''}`,
    'RestrictNamespaces=yes',
    'RestrictRealtime=yes',
    'RestrictSUIDSGID=yes',
    'LockPersonality=yes',
    'SystemCallArchitectures=native',
    'UMask=0077',
    '',
    '[Install]',
    'WantedBy=multi-user.target',
    '',
  ];
  return lines.join('\n');
}

/** Quotes as in systemd.service(5): double quotes, C escapes, and doubled `%` and `$` so that nothing is expanded. */
function quote(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('%', '%%')
    .replaceAll('$', '$$$$');
  return /^[\w@%+=:,./-]+$/.test(escaped) ? escaped : `"${escaped}"`;
}

function escapeSpecifiers(path: string): string {
  return path.replaceAll('%', '%%');
}

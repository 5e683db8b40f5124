import { ask } from './block.ts';
import { readText } from './read-text.ts';

export interface Component {
  readonly name: string;
  readonly version: string;
  /** Where the version was read. */
  readonly source: string;
}

/** Programs that print their version, with the pattern that finds it. */
const PROGRAMS: ReadonlyArray<readonly [name: string, command: readonly string[], pattern: RegExp]> = [
  ['systemd', ['systemctl', '--version'], /^systemd (\S+)/],
  ['iproute2', ['ip', '-V'], /iproute2-([^\s,]+)/],
  ['nftables', ['nft', '--version'], /v(\d[\d.]*)/],
  ['rsyslog', ['rsyslogd', '-v'], /^rsyslogd\s+(\d[\w.-]*)/],
  ['openssl', ['openssl', 'version'], /^OpenSSL (\S+)/],
];

/** Reads the versions of the programs on the host. Those that the host does not have are left out. */
export async function readComponents(): Promise<Component[]> {
  const found = await Promise.all(
    PROGRAMS.map(async ([name, command, pattern]) => {
      const printed = await ask(command);
      const version = printed.ok ? pattern.exec(printed.value)?.[1] : undefined;
      return version === undefined ? [] : [{ name, version, source: command.join(' ') }];
    }),
  );
  const kernel = await readText('/proc/sys/kernel/osrelease');
  return [
    ...(kernel === undefined ? [] : [{ name: 'linux', version: kernel, source: '/proc/sys/kernel/osrelease' }]),
    { name: 'node', version: process.versions.node, source: 'the agent' },
    ...found.flat(),
  ];
}

import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RoutingPaths } from '../routing/frr-paths.ts';

const run = promisify(execFile);
const DAEMONS = ['zebra', 'bgpd', 'bfdd'] as const;
type DaemonName = (typeof DAEMONS)[number];

/** A real FRR in a network namespace of its own. Its files are in a folder of the test. */
export class FrrHost {
  readonly namespace: string;
  readonly dir: string;
  readonly paths: RoutingPaths;

  private constructor(namespace: string, dir: string) {
    this.namespace = namespace;
    this.dir = dir;
    this.paths = { vtysh: '/usr/bin/vtysh', socketDir: join(dir, 'run'), configFile: join(dir, 'etc', 'frr.conf') };
  }

  static async create(): Promise<FrrHost> {
    const dir = await mkdtemp(join(tmpdir(), 'frr-'));
    chmodSync(dir, 0o755);
    const host = new FrrHost(`flt${randomBytes(4).toString('hex')}`, dir);
    for (const name of ['run', 'etc']) await mkdir(join(dir, name));
    await writeFile(host.paths.configFile, 'frr defaults traditional\n!\nend\n');
    execFileSync('chown', ['-R', 'frr:frr', join(dir, 'run'), join(dir, 'etc')]);
    execFileSync('ip', ['netns', 'add', host.namespace]);
    host.ip('link', 'set', 'lo', 'up');
    for (const daemon of DAEMONS) host.start(daemon);
    return host;
  }

  /** Runs `ip` in the namespace. */
  ip(...args: readonly string[]): void {
    execFileSync('ip', ['-n', this.namespace, ...args]);
  }

  /** Starts a daemon, which reads no file: `boot` loads the configuration of the host. */
  start(daemon: DaemonName): void {
    const { dir, namespace } = this;
    const files = ['-i', join(dir, 'run', `${daemon}.pid`), '--vty_socket', join(dir, 'run'), '-f', '/dev/null'];
    const own = daemon === 'bfdd' ? ['--bfdctl', join(dir, 'run', 'bfdd.sock')] : [];
    const args = ['-d', '-z', join(dir, 'run', 'zserv.api'), '-A', '127.0.0.1', '-P', '0', ...files, ...own];
    const log = ['--log', `file:${join(dir, 'run', `${daemon}.log`)}`];
    execFileSync('ip', ['netns', 'exec', namespace, `/usr/lib/frr/${daemon}`, ...args, ...log], { stdio: 'ignore' });
  }

  /** Loads the file of the configuration, as the service of FRR does after it has started the daemons. */
  boot(): void {
    this.vtysh('-f', this.paths.configFile);
  }

  pid(daemon: DaemonName): number {
    return Number(readFileSync(join(this.dir, 'run', `${daemon}.pid`), 'utf8'));
  }

  async kill(daemon: DaemonName): Promise<void> {
    const pid = this.pid(daemon);
    process.kill(pid, 'SIGKILL');
    while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  vtysh(...args: readonly string[]): string {
    const all = ['--vty_socket', this.paths.socketDir, ...args];
    const { stdout, stderr, status } = spawnSync(this.paths.vtysh, all, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`vtysh ${args.join(' ')}: ${stderr}${stdout}`);
    return stdout;
  }

  /** Runs commands in the configuration. */
  configure(...commands: readonly string[]): void {
    this.vtysh(...['configure terminal', ...commands].flatMap((one) => ['-c', one]));
  }

  show<T>(command: string): T {
    return JSON.parse(this.vtysh('-c', `${command} json`)) as T;
  }

  config(): string {
    return this.vtysh('-c', 'show running-config no-header');
  }

  /** Connects two hosts: 192.0.2.1 and 2001:db8::1 are here, 192.0.2.2 and 2001:db8::2 there. */
  connect(other: FrrHost): void {
    const peer = ['peer', 'name', 'eth0', 'netns', other.namespace];
    execFileSync('ip', ['link', 'add', 'eth0', 'netns', this.namespace, 'type', 'veth', ...peer]);
    for (const [i, host] of [this, other].entries()) {
      host.ip('addr', 'add', `192.0.2.${i + 1}/24`, 'dev', 'eth0');
      host.ip('addr', 'add', `2001:db8::${i + 1}/64`, 'dev', 'eth0', 'nodad');
      host.ip('link', 'set', 'eth0', 'up');
    }
  }

  async destroy(): Promise<void> {
    const { stdout } = await run('ip', ['netns', 'pids', this.namespace]);
    for (const pid of stdout.split('\n').filter(Boolean).map(Number)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended meanwhile.
      }
    }
    await run('ip', ['netns', 'del', this.namespace]);
    await rm(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

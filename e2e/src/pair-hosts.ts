import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GATEWAY, StageNetwork } from '@flotilla/ha-daemon/testing/stage-network';
import { type ClientVerdict, runEcho, sendRequests, type Traffic } from '@flotilla/ha-daemon/testing/traffic';
import { BUNDLE, TEST_ENVOY_CACHE_DIR } from '@flotilla/testkit';

type Slot = 0 | 1;
const CONTROLLER_PORT = 8098;
const KILL_MS = 20;
/** An address of the network of the hosts. */
export const VIP = '192.0.2.10';
/** Each host has an upstream that answers with the name of the host. */
export const UPSTREAM_PORT = 9000;

/** A host that runs the shipped agent, and what the agent starts, in a network namespace of its own. */
export class PairHost {
  readonly name: 'm0' | 'm1';
  readonly #slot: Slot;
  readonly #dir: string;
  readonly #network: StageNetwork;

  constructor(slot: Slot, dir: string, network: StageNetwork) {
    this.#slot = slot;
    this.name = `m${slot}`;
    this.#dir = dir;
    this.#network = network;
  }

  /** Starts the upstream and the agent. `enrolToken` is for the first start. */
  start(enrolToken?: string): void {
    runEcho(this.#network, this.name);
    const { name } = this;
    const id = this.#slot + 1;
    const folders = ['--data', join(this.#dir, name), '--runtime', join(this.#dir, `r${name}`)];
    const places = ['--controller', `${GATEWAY}:${CONTROLLER_PORT}`, '--name', name, '--mode', 'supervisor'];
    const addresses = ['--ha-data-address', `192.0.2.${id}`, '--ha-mgmt-address', `198.51.100.${id}`];
    const argv = [BUNDLE, 'agent', ...places, ...folders, ...addresses, '--warm-filter', 'off'];
    const env = {
      ...process.env,
      SVC_AGENT_CLOUD_DETECTION: 'off',
      SVC_AGENT_ENROL_TOKEN: enrolToken ?? '',
      SVC_ENVOY_CACHE_DIR: TEST_ENVOY_CACHE_DIR,
      SVC_LOG_LEVEL: 'silent',
    };
    spawn('ip', ['netns', 'exec', this.#namespace, process.execPath, ...argv], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env,
    });
  }

  /** The kernel of the host has the address. */
  get hasVip(): boolean {
    return execFileSync('ip', ['-n', this.#namespace, '-o', 'addr', 'show', 'dev', 'eth0']).includes(` ${VIP}/`);
  }

  get isRunning(): boolean {
    return this.#pids.length > 0;
  }

  /** Kills all processes of the host at once. */
  kill(): void {
    for (const pid of this.#pids) signal(pid);
  }

  /** Kills its Envoys again and again, so that none gets ready. Returns what ends it. */
  keepEnvoyDown(): () => void {
    const timer = setInterval(() => {
      for (const pid of this.#pids) if (isEnvoy(pid)) signal(pid);
    }, KILL_MS);
    return () => clearInterval(timer);
  }

  get #namespace(): string {
    return this.#network.namespace(this.name);
  }

  get #pids(): number[] {
    const output = execFileSync('ip', ['netns', 'pids', this.#namespace]).toString();
    return output.split('\n').filter(Boolean).map(Number);
  }
}

/** Two hosts on a switch with a gateway, through which they reach the controller, and a client. Needs root. */
export class PairHosts {
  readonly hosts: readonly [PairHost, PairHost];
  readonly #dir = mkdtempSync(join(tmpdir(), 'ep-'));
  readonly #network = new StageNetwork();
  readonly #bridge: ChildProcess;

  private constructor(grpcPort: number) {
    // Services run as separate users, who must be able to traverse it.
    chmodSync(this.#dir, 0o755);
    const socket = join(this.#dir, 'controller');
    const target = `TCP:127.0.0.1:${grpcPort}`;
    this.#bridge = spawn('socat', [`UNIX-LISTEN:${socket},fork`, target], { stdio: 'ignore' });
    this.#network.run('gateway', ['socat', `TCP-LISTEN:${CONTROLLER_PORT},fork,reuseaddr`, `UNIX-CONNECT:${socket}`]);
    this.hosts = [new PairHost(0, this.#dir, this.#network), new PairHost(1, this.#dir, this.#network)];
  }

  static async open(grpcPort: number): Promise<PairHosts> {
    const hosts = new PairHosts(grpcPort);
    await hosts.#network.connect([]);
    return hosts;
  }

  /** The only host that has the address. Undefined: none has it, or both. */
  get holder(): PairHost | undefined {
    const holders = this.hosts.filter(({ hasVip }) => hasVip);
    return holders.length === 1 ? holders[0] : undefined;
  }

  /** Sends requests from the client, one every few milliseconds. */
  sendRequests(url: string): Promise<Traffic<ClientVerdict>> {
    return sendRequests(this.#network, url);
  }

  /** The status of the answer that the client gets; 0: none. */
  ask(url: string): number {
    const client = this.#network.namespace('client');
    const argv = ['netns', 'exec', client, 'curl', '-s', '-m', '2', '-o', '/dev/null', '-w', '%{http_code}', url];
    try {
      return Number(execFileSync('ip', argv).toString());
    } catch {
      return 0;
    }
  }

  close(): void {
    for (const host of this.hosts) while (host.isRunning) host.kill();
    this.#network.close();
    this.#bridge.kill('SIGKILL');
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function isEnvoy(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0]?.endsWith('/envoy') === true;
  } catch {
    return false;
  }
}

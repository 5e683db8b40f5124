import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { create, type MessageInitShape, toJson } from '@bufbuild/protobuf';
import type { MemberReport } from '@flotilla/ha';
import { createId, readProcess, signalProcess } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { haPlaces } from '../ha/places.ts';

const PROGRAM = join(import.meta.dirname, 'ha-agent-process.ts');
const GATEWAY = '192.0.2.254';
/** Reached over the network of management. */
const CONTROLLER = '198.51.100.254';
export const SHARED = '192.0.2.10';

type Line = Readonly<Record<string, unknown>>;

/** An agent with a daemon in a network namespace of its own. */
export class PairedAgent {
  readonly slot: 0 | 1;
  readonly namespace: string;
  readonly dir: string;
  /** The output of the newest process of the agent. */
  lines: Line[] = [];
  #process: ChildProcess | undefined;

  constructor(slot: 0 | 1, namespace: string, dir: string) {
    this.slot = slot;
    this.namespace = namespace;
    this.dir = dir;
  }

  start(): void {
    this.lines = [];
    const args = ['netns', 'exec', this.namespace, process.execPath, PROGRAM, this.dir, CONTROLLER];
    // `ip netns exec` becomes the program, so the process is the agent itself.
    const child = spawn('ip', args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const { lines } = this;
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line)));
    this.#process = child;
  }

  async kill(): Promise<void> {
    const child = this.#process;
    if (!child || child.signalCode !== null || child.exitCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  want(state: fleet.DesiredState): void {
    this.#send({ desired: toJson(fleet.DesiredStateSchema, state) });
  }

  /** Returns the id of the command, whose result is one of the lines. */
  command(subType: string, payload: object = {}): string {
    const command = create(fleet.CommandSchema, {
      commandId: createId(),
      type: 'HA',
      subType,
      payloadJson: Buffer.from(JSON.stringify(payload)),
    });
    this.#send({ command: toJson(fleet.CommandSchema, command) });
    return command.commandId;
  }

  resultOf(id: string): Line | undefined {
    return this.lines.find(({ commandId }) => commandId === id);
  }

  get report(): MemberReport | undefined {
    return this.lines.findLast((line) => 'report' in line)?.report as MemberReport | undefined;
  }

  /** The shared addresses that the kernel has. */
  get held(): string[] {
    const output = execFileSync('ip', ['-n', this.namespace, '-o', '-4', 'addr', 'show', 'dev', 'eth0', 'dynamic']);
    return [...output.toString().matchAll(/inet (\S+)\/32 /g)].map(([, address = '']) => address).toSorted();
  }

  get config() {
    return JSON.parse(readFileSync(haPlaces(join(this.dir, 'data')).configFile, 'utf8'));
  }

  get daemonPid(): number | undefined {
    try {
      return Number(readFileSync(join(this.dir, 'data/units/ha/daemon.pid'), 'utf8').split(' ')[0]);
    } catch {
      return undefined;
    }
  }

  killDaemon(): void {
    const daemon = readProcess(this.daemonPid ?? 0);
    if (daemon) signalProcess(daemon, 'SIGKILL');
  }

  #send(line: object): void {
    this.#process?.stdin?.write(`${JSON.stringify(line)}\n`);
  }
}

/** Two hosts on a switch with a gateway, and a second cable between them for management. Nothing of this machine is touched. Needs root. */
export class PairOfAgents {
  readonly dir = mkdtempSync(join(tmpdir(), 'hp-'));
  readonly agents: readonly [PairedAgent, PairedAgent];
  readonly pairId = createId();
  readonly #secret = randomBytes(32);
  readonly #names: readonly string[];

  constructor() {
    const id = randomBytes(3).toString('hex');
    this.#names = ['switch', 'm0', 'm1', 'gateway'].map((name) => `hp-${name}-${id}`);
    const [theSwitch = '', m0 = '', m1 = '', gateway = ''] = this.#names;
    const on = (namespace: string, command: string) => execFileSync('ip', ['-n', namespace, ...command.split(' ')]);
    for (const name of this.#names) {
      execFileSync('ip', ['netns', 'add', name]);
      on(name, 'link set lo up');
    }
    on(theSwitch, 'link add br0 type bridge');
    on(theSwitch, 'link set br0 up');
    for (const [i, host] of [m0, m1, gateway].entries()) {
      on(host, `link add eth0 type veth peer name port${i} netns ${theSwitch}`);
      on(theSwitch, `link set port${i} master br0 up`);
      on(host, 'link set eth0 up');
      on(host, `addr add ${[`192.0.2.1`, '192.0.2.2', GATEWAY][i]}/24 dev eth0`);
    }
    on(m0, `link add eth1 type veth peer name eth1 netns ${m1}`);
    for (const [i, host] of [m0, m1].entries()) {
      on(host, `link set eth1 up`);
      on(host, `addr add 198.51.100.${i + 1}/24 dev eth1`);
      on(host, `route add default via ${GATEWAY}`);
    }
    this.agents = [new PairedAgent(0, m0, join(this.dir, 'a0')), new PairedAgent(1, m1, join(this.dir, 'a1'))];
  }

  /** Gives both agents the pair, each from its own view. */
  want(configRev: bigint, change: MessageInitShape<typeof fleet.HaPairSchema> = {}): void {
    for (const agent of this.agents) agent.want(this.stateOf(agent.slot, configRev, change));
  }

  stateOf(
    slot: 0 | 1,
    configRev: bigint,
    change: MessageInitShape<typeof fleet.HaPairSchema> = {},
  ): fleet.DesiredState {
    const path = (network: string, prefix: string) => ({
      network,
      local: `${prefix}.${slot + 1}`,
      peer: `${prefix}.${slot === 0 ? 2 : 1}`,
    });
    return create(fleet.DesiredStateSchema, {
      revision: configRev,
      ha: {
        pairId: this.pairId,
        configRev,
        slot,
        priority: slot === 0 ? 200 : 100,
        hasPeer: true,
        intervalMs: 100,
        misses: 3,
        paths: [path('data', '192.0.2'), path('mgmt', '198.51.100')],
        keys: [{ id: 1, secret: this.#secret }],
        sendKey: 1,
        fenceTargets: [GATEWAY],
        addresses: [{ address: SHARED }],
        ...change,
      },
    });
  }

  async close(): Promise<void> {
    for (const agent of this.agents) {
      await agent.kill();
      agent.killDaemon();
    }
    for (const name of this.#names) execFileSync('ip', ['netns', 'del', name]);
    rmSync(this.dir, { recursive: true, force: true });
  }
}

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { HaConfig, MemberReport } from '@flotilla/ha';
import { createId, sleep } from '@flotilla/kit';

const PROGRAM = join(import.meta.dirname, '../../../cli/src/entry.ts');
const ECHO = join(import.meta.dirname, 'echo-process.ts');
const PROBE = join(import.meta.dirname, 'probe-process.ts');
export const SHARED = '192.0.2.10';
const GATEWAY = '192.0.2.254';
const WAIT_MS = 20_000;

/** One host of a pair, in a network namespace of its own. */
export class StageMember {
  readonly slot: 0 | 1;
  readonly namespace: string;
  readonly data: string;
  readonly #config: HaConfig;
  #process: ChildProcess | undefined;

  constructor(slot: 0 | 1, { namespace, data, config }: { namespace: string; data: string; config: HaConfig }) {
    this.slot = slot;
    this.namespace = namespace;
    this.data = data;
    this.#config = config;
  }

  start(change: Partial<HaConfig> = {}): void {
    const file = `${this.data}.json`;
    writeFileSync(file, JSON.stringify({ ...this.#config, ...change }), { mode: 0o600 });
    const args = [PROGRAM, 'ha', '--config', file, '--data', this.data, '--log-level', 'silent'];
    // `ip netns exec` becomes the program, so the process is the daemon itself.
    this.#process = spawn('ip', ['netns', 'exec', this.namespace, process.execPath, ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }

  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): void {
    this.#process?.kill(signal);
  }

  async stop(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  ip(...args: readonly string[]): string {
    return execFileSync('ip', ['-n', this.namespace, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }

  get isHolding(): boolean {
    return this.ip('-o', 'addr', 'show', 'dev', 'eth0').includes(`${SHARED}/32`);
  }

  call(
    method: 'GET' | 'POST',
    path: string,
    body?: object,
  ): Promise<{ status: number; body: MemberReport & { reason?: string } }> {
    return new Promise((resolve, reject) => {
      const sent = request({ socketPath: join(this.data, 'ha.sock'), method, path, timeout: 2000 }, (response) => {
        json(response).then((answer) => resolve({ status: response.statusCode ?? 0, body: answer as never }), reject);
      });
      sent.once('error', reject);
      sent.once('timeout', () => sent.destroy(new Error('no answer')));
      sent.end(body && JSON.stringify(body));
    });
  }

  async state(): Promise<MemberReport | undefined> {
    return (await this.call('GET', '/state').catch(() => undefined))?.body;
  }
}

/**
 * Two members on a switch, with a gateway and a client, and a second cable between them for management. Nothing of this machine is
 * touched. Needs root.
 */
export class PairStage {
  readonly dir = mkdtempSync(join(tmpdir(), 'ha-'));
  readonly members: readonly [StageMember, StageMember];
  readonly secret = randomBytes(32);
  readonly pairId = createId();
  readonly #id = randomBytes(3).toString('hex');
  readonly #children: ChildProcess[] = [];
  readonly #names: readonly string[];

  constructor() {
    const name = (of: string) => `ha-${of}-${this.#id}`;
    this.#names = ['switch', 'm0', 'm1', 'gateway', 'client'].map(name);
    for (const one of this.#names) {
      execFileSync('ip', ['netns', 'add', one]);
      execFileSync('ip', ['-n', one, 'link', 'set', 'lo', 'up']);
    }
    const [theSwitch = '', ...hosts] = this.#names;
    const on = (namespace: string, ...args: readonly string[]) => execFileSync('ip', ['-n', namespace, ...args]);
    on(theSwitch, 'link', 'add', 'br0', 'type', 'bridge');
    on(theSwitch, 'link', 'set', 'br0', 'up');
    for (const [i, host] of hosts.entries()) {
      on(host, 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', `port${i}`, 'netns', theSwitch);
      on(theSwitch, 'link', 'set', `port${i}`, 'master', 'br0', 'up');
      on(host, 'link', 'set', 'eth0', 'up');
      const address = [`192.0.2.${i + 1}`, `192.0.2.${i + 1}`, GATEWAY, '192.0.2.50'][i];
      on(host, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
    }
    const [m0 = '', m1 = ''] = hosts;
    on(m0, 'link', 'add', 'eth1', 'type', 'veth', 'peer', 'name', 'eth1', 'netns', m1);
    for (const [i, host] of [m0, m1].entries()) {
      on(host, 'link', 'set', 'eth1', 'up');
      on(host, 'addr', 'add', `198.51.100.${i + 1}/24`, 'dev', 'eth1');
      this.#run(host, [ECHO, `m${i}`]);
    }
    mkdirSync(join(this.dir, 'data'));
    const make = (slot: 0 | 1) =>
      new StageMember(slot, {
        namespace: slot === 0 ? m0 : m1,
        data: join(this.dir, `member-${slot}`),
        config: this.#configOf(slot),
      });
    this.members = [make(0), make(1)];
  }

  #configOf(slot: 0 | 1): HaConfig {
    const path = (network: 'data' | 'mgmt', prefix: string) => ({
      network,
      local: `${prefix}.${slot + 1}`,
      peer: `${prefix}.${slot === 0 ? 2 : 1}`,
    });
    return {
      pair_id: this.pairId,
      config_rev: 1,
      slot,
      priority: slot === 0 ? 200 : 100,
      has_peer: true,
      preempt: false,
      hb: { port: 8650, interval_ms: 100, misses: 3 },
      paths: [path('data', '192.0.2'), path('mgmt', '198.51.100')],
      keys: [{ id: 1, secret: this.secret.toString('base64') }],
      send_key: 1,
      fence_targets: [GATEWAY],
      next_hops: [],
      addresses: [{ address: SHARED, interface: 'eth0' }],
      boot_wait_ms: 1500,
    };
  }

  #run(namespace: string, argv: readonly string[]): ChildProcess {
    const child = spawn('ip', ['netns', 'exec', namespace, process.execPath, ...argv], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#children.push(child);
    return child;
  }

  /** Resolves when exactly this member has the address, says so, and the other one knows. */
  async untilServing(member: StageMember): Promise<void> {
    const other = this.members[member.slot === 0 ? 1 : 0];
    await this.until(async () => {
      const state = await member.state();
      return state?.role === 'active' && member.isHolding && !other.isHolding;
    }, `member ${member.slot} serves alone`);
  }

  async until(check: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const deadline = performance.now() + WAIT_MS;
    while (!(await check())) {
      if (performance.now() > deadline) {
        const states = await Promise.all(this.members.map((member) => member.state()));
        throw new Error(`not within ${WAIT_MS / 1000} s: ${what}\n${JSON.stringify(states, null, 1)}`);
      }
      await sleep(20);
    }
  }

  /** Sends a datagram to the shared address every few milliseconds, until stopped. Returns who answered, and the longest silence. */
  probe(): { stop: () => Promise<{ answers: string[]; longestGapMs: number }> } {
    const child = this.#run(this.#names[4] ?? '', [PROBE, SHARED]);
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    return {
      stop: async () => {
        const ended = new Promise((resolve) => child.once('close', resolve));
        child.kill('SIGTERM');
        await ended;
        return JSON.parse(output);
      },
    };
  }

  async close(): Promise<void> {
    for (const member of this.members) {
      member.signal('SIGCONT');
      await member.stop('SIGKILL');
    }
    for (const child of this.#children) child.kill('SIGKILL');
    for (const name of this.#names) execFileSync('ip', ['netns', 'del', name]);
    rmSync(this.dir, { recursive: true, force: true });
  }
}

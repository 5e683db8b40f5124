import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { sleep } from '@flotilla/kit';

const WIRE = join(import.meta.dirname, 'wire-process.ts');
const WAIT_MS = 60_000;
export const GATEWAY = '192.0.2.254';
const HOSTS = ['m0', 'm1', 'gateway', 'client'] as const;
const LAST_BYTE = { m0: 1, m1: 2, gateway: 254, client: 50 } as const;
export type HostName = (typeof HOSTS)[number];

/** A cable that can have faults: of a member to the switch, or between the members. */
export type WireName = 'm0' | 'm1' | 'mgmt';

export interface WireFaults {
  readonly loss?: number;
  readonly duplicates?: number;
  readonly delayMs?: readonly [number, number];
  readonly isDown?: boolean;
}

/**
 * Two members on a switch, with a gateway and a client, and a second cable between the members for management. Nothing of this
 * machine is touched. Needs root.
 */
export class StageNetwork {
  readonly #id = randomBytes(3).toString('hex');
  readonly #children: ChildProcess[] = [];
  readonly #wires = new Map<WireName, ChildProcess>();

  constructor() {
    for (const name of ['switch', ...HOSTS] as const) this.#add(this.namespace(name));
    this.#on('switch', 'link', 'add', 'br0', 'type', 'bridge');
    this.#on('switch', 'link', 'set', 'br0', 'up');
  }

  namespace(name: HostName | 'switch'): string {
    return `ha-${name}-${this.#id}`;
  }

  #add(namespace: string): void {
    execFileSync('ip', ['netns', 'add', namespace]);
    execFileSync('ip', ['-n', namespace, 'link', 'set', 'lo', 'up']);
  }

  #on(name: HostName | 'switch', ...args: readonly string[]): void {
    execFileSync('ip', ['-n', this.namespace(name), ...args]);
  }

  /** Connects all hosts, some of them with cables that can have faults. */
  async connect(wires: readonly WireName[]): Promise<void> {
    for (const host of HOSTS) {
      if (host !== 'gateway' && host !== 'client' && wires.includes(host))
        await this.#connectWire(host, [
          { host, device: 'eth0' },
          { host: 'switch', device: `port-${host}` },
        ]);
      else this.#connectCable(host);
      this.#plug(host);
    }
    if (wires.includes('mgmt'))
      await this.#connectWire('mgmt', [
        { host: 'm0', device: 'eth1' },
        { host: 'm1', device: 'eth1' },
      ]);
    else this.#on('m0', 'link', 'add', 'eth1', 'type', 'veth', 'peer', 'name', 'eth1', 'netns', this.namespace('m1'));
    for (const host of ['m0', 'm1'] as const) this.#plugManagement(host);
  }

  #plug(host: HostName): void {
    const last = LAST_BYTE[host];
    this.#on('switch', 'link', 'set', `port-${host}`, 'master', 'br0', 'up');
    this.#on(host, 'link', 'set', 'eth0', 'up');
    this.#on(host, 'addr', 'add', `192.0.2.${last}/24`, 'dev', 'eth0');
    this.#on(host, 'addr', 'add', `2001:db8:1::${last}/64`, 'dev', 'eth0', 'nodad');
  }

  #plugManagement(host: 'm0' | 'm1'): void {
    this.#on(host, 'link', 'set', 'eth1', 'up');
    this.#on(host, 'addr', 'add', `198.51.100.${LAST_BYTE[host]}/24`, 'dev', 'eth1');
  }

  /** A TAP device stays with the program that opened it when it moves to another namespace. */
  async #connectWire(
    name: WireName,
    ends: readonly { readonly host: HostName | 'switch'; readonly device: string }[],
  ): Promise<void> {
    const port = 20_000 + 10 * this.#wires.size;
    const wire = this.run('switch', [process.execPath, WIRE, String(port)], 'pipe');
    this.#wires.set(name, wire);
    await once(wire.stdout ?? wire, 'data');
    for (const [i, { host, device }] of ends.entries()) {
      const own = port + 2 * i;
      const tap = `tap${this.#wires.size}-${i}`;
      const place = `UDP4:127.0.0.1:${own},bind=127.0.0.1:${own + 1}`;
      this.run('switch', ['socat', '-b', '2000', `TUN,tun-type=tap,tun-name=${tap},iff-no-pi`, place]);
      await until(() => this.#has('switch', tap));
      const there = host === 'switch' ? [] : ['netns', this.namespace(host)];
      this.#on('switch', 'link', 'set', tap, ...there, 'name', device);
    }
  }

  #has(name: HostName | 'switch', device: string): boolean {
    try {
      execFileSync('ip', ['-n', this.namespace(name), 'link', 'show', device], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  }

  /** Direction 0 begins at the member, or at the first member on the cable for management. */
  fault(name: WireName, direction: 0 | 1, faults: WireFaults): void {
    this.#wires.get(name)?.stdin?.write(`${JSON.stringify({ direction, ...faults })}\n`);
  }

  /** The host asks everybody again who has an address. */
  forgetNeighbours(host: HostName): void {
    this.#on(host, 'neigh', 'flush', 'all');
  }

  /** Whether the switch carries anything between the members. They reach the gateway and the client in any case. */
  setIsolation(state: 'on' | 'off'): void {
    for (const host of ['m0', 'm1'] as const)
      this.#on('switch', 'link', 'set', `port-${host}`, 'type', 'bridge_slave', 'isolated', state);
  }

  setLink(host: HostName, state: 'up' | 'down'): void {
    this.#on(host, 'link', 'set', 'eth0', state);
  }

  run(host: HostName | 'switch', argv: readonly string[], stdin: 'ignore' | 'pipe' = 'ignore'): ChildProcess {
    const child = spawn('ip', ['netns', 'exec', this.namespace(host), ...argv], { stdio: [stdin, 'pipe', 'inherit'] });
    this.#children.push(child);
    return child;
  }

  #connectCable(host: (typeof HOSTS)[number]): void {
    const port = ['name', `port-${host}`, 'netns', this.namespace('switch')];
    this.#on(host, 'link', 'add', 'eth0', 'type', 'veth', 'peer', ...port);
  }

  /** The host starts again: its processes and interfaces are gone. */
  async reboot(host: 'm0' | 'm1'): Promise<void> {
    const namespace = this.namespace(host);
    const running = execFileSync('ip', ['netns', 'pids', namespace]).toString().split('\n').filter(Boolean);
    for (const pid of running) process.kill(Number(pid), 'SIGKILL');
    execFileSync('ip', ['netns', 'del', namespace]);
    await until(() => !this.#has('switch', `port-${host}`));
    this.#add(this.namespace(host));
    this.#connectCable(host);
    this.#plug(host);
    const other = host === 'm0' ? 'm1' : 'm0';
    this.#on(host, 'link', 'add', 'eth1', 'type', 'veth', 'peer', 'name', 'eth1', 'netns', this.namespace(other));
    for (const one of ['m0', 'm1'] as const) this.#plugManagement(one);
  }

  /** Names of the hosts by hardware address. */
  get macs(): Map<string, string> {
    return new Map(
      HOSTS.map((host) => {
        const output = execFileSync('ip', ['-n', this.namespace(host), '-j', 'link', 'show', 'dev', 'eth0']);
        return [JSON.parse(output.toString())[0].address, host];
      }),
    );
  }

  close(): void {
    for (const child of this.#children) child.kill('SIGKILL');
    for (const name of ['switch', ...HOSTS] as const) execFileSync('ip', ['netns', 'del', this.namespace(name)]);
  }
}

async function until(check: () => boolean): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  while (!check()) {
    if (performance.now() > deadline) throw new Error(`not within ${WAIT_MS / 1000} s: ${check}`);
    await sleep(10);
  }
}

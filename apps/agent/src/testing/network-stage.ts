import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { createId, createSilentLogger, sleep } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { changeNetwork, readNetwork } from '../commands/network.ts';
import { Network } from '../network/network.ts';
import { runProgram } from '../network/programs.ts';
import type { NetworkSettings } from '../network/types.ts';

export const PEER = '192.0.2.1';
export const PORT = 8098;
export const GUARD_COMMAND = [process.execPath, join(import.meta.dirname, 'guard-process.ts')];

const BASE = `network:
  version: 2
  ethernets:
    eth0: {}
    eth1: {}
`;

/**
 * A host in a network namespace of its own, with eth0 to a peer (192.0.2.1, 2001:db8::1) in a second one, and eth1 without
 * addresses. Its netplan files are in a scratch folder. Nothing of this machine is touched. Needs root.
 */
export class NetworkStage {
  readonly dir = mkdtempSync(join(tmpdir(), 'fn-'));
  readonly host: string;
  readonly peer: string;
  readonly settings: NetworkSettings;
  readonly #listener: ChildProcess;

  /** `target` is what the port of the controller on the peer leads to. */
  constructor(target = 'OPEN:/dev/null') {
    const id = randomBytes(4).toString('hex');
    this.host = `fh-${id}`;
    this.peer = `fp-${id}`;
    for (const name of [this.host, this.peer]) execFileSync('ip', ['netns', 'add', name]);
    for (const n of [0, 1]) {
      const peer = ['type', 'veth', 'peer', 'name', `eth${n}`, 'netns', this.peer];
      this.ip('link', 'add', `eth${n}`, ...peer);
      // Link-local addresses would appear a second later, in the middle of a comparison.
      this.ip('link', 'set', `eth${n}`, 'addrgenmode', 'none');
      this.ip('link', 'set', `eth${n}`, 'up');
      this.peerIp('link', 'set', `eth${n}`, 'up');
    }
    this.ip('link', 'set', 'lo', 'up');
    this.ip('addr', 'add', '192.0.2.2/24', 'dev', 'eth0');
    this.ip('addr', 'add', '2001:db8::2/64', 'dev', 'eth0', 'nodad');
    this.peerIp('addr', 'add', `${PEER}/24`, 'dev', 'eth0');
    this.peerIp('addr', 'add', '2001:db8::1/64', 'dev', 'eth0', 'nodad');
    // It stands for the controller: anyone who reaches it can connect.
    const listen = ['netns', 'exec', this.peer, 'socat', `TCP-LISTEN:${PORT},fork,reuseaddr`, target];
    this.#listener = spawn('ip', listen, { stdio: 'ignore' });
    const root = join(this.dir, 'root');
    mkdirSync(join(root, 'etc/netplan'), { recursive: true });
    writeFileSync(join(root, 'etc/netplan/50-base.yaml'), BASE, { mode: 0o600 });
    this.settings = {
      root,
      dataDir: join(this.dir, 'data'),
      lockDir: this.dir,
      driver: 'ip',
      prefix: ['ip', 'netns', 'exec', this.host],
    };
  }

  ip(...args: readonly string[]): string {
    return execFileSync('ip', ['-n', this.host, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }

  peerIp(...args: readonly string[]): string {
    return execFileSync('ip', ['-n', this.peer, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** Everything that a change could alter: addresses, links, routes and rules of the kernel, and the files. */
  snapshot(): string {
    const links = JSON.parse(this.ip('-j', 'addr')) as Array<Record<string, unknown>>;
    const facts = links.map(({ ifname, flags, mtu, addr_info }) => ({
      ifname,
      isUp: (flags as string[]).includes('UP'),
      mtu,
      addresses: (addr_info as Array<Record<string, unknown>>)
        .map(({ local, prefixlen }) => `${local}/${prefixlen}`)
        .toSorted(),
    }));
    const routing = [
      ['-4', 'route', 'show', 'table', 'all'],
      ['-6', 'route', 'show', 'table', 'all'],
      ['-4', 'rule'],
      ['-6', 'rule'],
    ].map((args) =>
      this.ip(...args)
        .split('\n')
        .map((line) => line.trim())
        .toSorted(),
    );
    return JSON.stringify(
      [facts, routing, this.file('etc/netplan/90-flotilla.yaml'), this.file('etc/netplan/91-flotilla-routes.yaml')],
      null,
      1,
    );
  }

  file(path: string): string | undefined {
    try {
      return readFileSync(join(this.settings.root, path), 'utf8');
    } catch {
      return undefined;
    }
  }

  /** An agent's network whose proof of the connection is an answer of the peer. */
  open(reached = PEER): Network {
    const { settings } = this;
    return new Network({
      settings,
      guardCommand: GUARD_COMMAND,
      env: process.env,
      reachController: (signal) => reachPeer(settings, reached, signal),
      logger: createSilentLogger(),
    });
  }

  send(subType: string, payload: Record<string, unknown> = {}, network = this.open()) {
    const command = create(fleet.CommandSchema, { commandId: createId(), type: 'NETWORK', subType });
    const options = {
      network,
      payload,
      signal: AbortSignal.timeout(100_000),
      isResumed: false,
      onStep: () => undefined,
    };
    return isRead(subType) ? readNetwork(command, options) : changeNetwork(command, options);
  }

  close(): void {
    this.#listener.kill('SIGKILL');
    for (const name of [this.host, this.peer]) execFileSync('ip', ['netns', 'del', name]);
    rmSync(this.dir, { recursive: true, force: true });
  }
}

function isRead(subType: string): boolean {
  return /_(?:LIST|GET|STATE)$/.test(subType);
}

export async function reachPeer(settings: NetworkSettings, peer: string, signal: AbortSignal): Promise<void> {
  const command = ['socat', '-u', 'OPEN:/dev/null', `TCP:${peer}:${PORT},connect-timeout=1`];
  for (;;) {
    signal.throwIfAborted();
    if ((await runProgram(settings, command)).ok) return;
    await sleep(50, signal);
  }
}

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type PairStage, SHARED } from '@flotilla/ha-daemon/testing/pair-stage';
import { sleep } from '@flotilla/kit';

/** Two programs that share the address of the stage. The first member has it after the start. */
export interface FailoverPair {
  readonly name: string;
  start(): Promise<void>;
  /** Ends the program of the first member without a chance to say goodbye. */
  kill(): void;
  /** The first member gives the address to the second one. */
  handOver(): Promise<void>;
  stop(): Promise<void>;
}

/** `flotilla ha` with a heartbeat every 100 ms, of which three may be missing. */
export class DaemonPair implements FailoverPair {
  readonly name = 'flotilla ha';
  readonly #stage: PairStage;

  constructor(stage: PairStage) {
    this.#stage = stage;
  }

  async start(): Promise<void> {
    await this.#stage.begin();
  }

  kill(): void {
    this.#stage.members[0].signal('SIGKILL');
  }

  async handOver(): Promise<void> {
    await this.#stage.members[0].order('failover');
  }

  async stop(): Promise<void> {
    for (const member of this.#stage.members) await member.stop('SIGKILL');
    await this.#stage.until(() => this.#stage.members.every(({ isHolding }) => !isHolding), 'the leases have ended');
  }
}

const PRIORITIES = [200, 100] as const;
const ADVERT_MS = 100;
/** Three adverts, and some time until the second member has heard the first one. */
const CALM_MS = 1000;

/** keepalived with VRRP version 3 and an advert every 100 ms. Its limit of missing adverts is three, too. The first member preempts after a start. */
export class KeepalivedPair implements FailoverPair {
  readonly name = 'keepalived';
  readonly #stage: PairStage;
  #running: readonly ChildProcess[] = [];

  constructor(stage: PairStage) {
    this.#stage = stage;
  }

  async start(): Promise<void> {
    this.#running = this.#stage.members.map(({ slot, namespace }) => {
      const file = join(this.#stage.dir, `keepalived-${slot}`);
      writeFileSync(`${file}.conf`, configOf(PRIORITIES[slot]), { mode: 0o600 });
      const argv = ['keepalived', '-n', '-l', '-P', '-f', `${file}.conf`, '-p', `${file}.pid`, '-r', `${file}.vrrp`];
      return spawn('ip', ['netns', 'exec', namespace, ...argv], { stdio: 'ignore' });
    });
    await this.#stage.until(() => this.#has(0) && !this.#has(1), 'the first keepalived has the address');
    await sleep(CALM_MS);
  }

  #has(slot: 0 | 1): boolean {
    return this.#stage.members[slot].ip('-o', 'addr', 'show', 'dev', 'eth0').includes(`${SHARED}/32`);
  }

  /** The child that speaks VRRP ends at the same moment as its parent, which would start it again. */
  kill(): void {
    const [first] = this.#running;
    if (first?.pid === undefined) return;
    const children = readFileSync(`/proc/${first.pid}/task/${first.pid}/children`, 'utf8').trim().split(' ');
    for (const pid of [first.pid, ...children.filter(Boolean).map(Number)]) process.kill(pid, 'SIGKILL');
  }

  /** It has no order for this: a member that is stopped says so to the other one. */
  async handOver(): Promise<void> {
    this.#running[0]?.kill('SIGTERM');
  }

  async stop(): Promise<void> {
    for (const child of this.#running) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    for (const { namespace, slot } of this.#stage.members)
      if (this.#has(slot)) execFileSync('ip', ['-n', namespace, 'addr', 'del', `${SHARED}/32`, 'dev', 'eth0']);
  }
}

function configOf(priority: number): string {
  return `global_defs { vrrp_version 3 }
vrrp_instance pair {
  state BACKUP
  interface eth0
  virtual_router_id 51
  priority ${priority}
  advert_int ${ADVERT_MS / 1000}
  virtual_ipaddress { ${SHARED}/32 dev eth0 }
}
`;
}

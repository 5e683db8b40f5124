import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createId, sleep } from '@flotilla/kit';
import { Capture } from './capture.ts';
import { type StageConfig, StageMember } from './stage-member.ts';
import { GATEWAY, StageNetwork, type WireName } from './stage-network.ts';
import { type ClientVerdict, runEcho, runTraffic, sendRequests, type Traffic } from './traffic.ts';

const PROBE = join(import.meta.dirname, 'probe-process.ts');
const LATER = join(import.meta.dirname, 'later-version-process.ts');
export const SHARED = '192.0.2.10';
export const SHARED_6 = '2001:db8:1::10';
const WAIT_MS = 60_000;
/** On a busy machine one daemon may start long before the other, and must not serve alone. */
export const PATIENT = { boot_wait_ms: 60_000 } as const;

export interface StageOptions {
  /** Cables that can have faults. */
  readonly wires?: readonly WireName[];
  /** Changes the files of both members. */
  readonly config?: Partial<StageConfig>;
}

/** A pair on a network of its own. */
export class PairStage {
  readonly dir = mkdtempSync(join(tmpdir(), 'ha-'));
  readonly network = new StageNetwork();
  readonly members: readonly [StageMember, StageMember];
  readonly secret = randomBytes(32);
  readonly pairId = createId();

  private constructor(config: Partial<StageConfig>) {
    const make = (slot: 0 | 1) =>
      new StageMember(slot, {
        namespace: this.network.namespace(`m${slot}`),
        data: join(this.dir, `member-${slot}`),
        config: { ...this.#configOf(slot), ...config },
      });
    this.members = [make(0), make(1)];
  }

  static async open({ wires = [], config = {} }: StageOptions = {}): Promise<PairStage> {
    const stage = new PairStage(config);
    await stage.network.connect(wires);
    for (const slot of [0, 1] as const) stage.runEcho(slot);
    return stage;
  }

  runEcho(slot: 0 | 1): void {
    runEcho(this.network, `m${slot}`);
  }

  /** A process that speaks a later version of the protocol, in the place of the second member. */
  runLater(file: string): ChildProcess {
    return this.network.run('m1', [process.execPath, LATER, file]);
  }

  #configOf(slot: 0 | 1): StageConfig {
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
      addresses: [{ address: SHARED, interface: 'eth0' }],
      boot_wait_ms: 1500,
    };
  }

  /** Starts both daemons. The first member serves then, and the second one stands by. */
  async begin(): Promise<void> {
    for (const member of this.members) member.start(PATIENT);
    await this.untilServing(this.members[0]);
    await this.untilCalm();
  }

  async untilCalm(): Promise<void> {
    await this.until(async () => {
      const states = await Promise.all(this.members.map((member) => member.state()));
      const roles = states.map((state) => state?.role).sort();
      return roles.join() === 'active,standby' && states.every((state) => state?.peer_ok && state.gateway_reachable);
    }, 'one member serves, and the other one stands by');
  }

  /** Resolves when exactly this member has the addresses, and says so. */
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
  probe(): Promise<Traffic<{ answers: string[]; longestGapMs: number }>> {
    return runTraffic(this.network, [PROBE, SHARED]);
  }

  /** Sends requests through the shared address, each over a new connection, until stopped. */
  client(url = `http://${SHARED}:9000/`): Promise<Traffic<ClientVerdict>> {
    return sendRequests(this.network, url);
  }

  /** Watches who sends from an address. */
  capture(address = SHARED): Promise<Capture> {
    return Capture.start(this.network.namespace('switch'), address, this.network.macs);
  }

  async close(): Promise<void> {
    for (const member of this.members) {
      member.signal('SIGCONT');
      await member.stop('SIGKILL');
    }
    this.network.close();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

import { DeltaStream } from '../delta-stream.ts';
import { createSnapshot, type Snapshot, type SnapshotPart, toResourceKey } from '../resource.ts';
import { NodeRollout } from '../rollout/node-rollout.ts';
import { EnvoyModel, listDangling } from './envoy-model.ts';
import { FakeTimers } from './fake-timers.ts';

export interface WorldOptions {
  readonly namesCulprits?: boolean;
  readonly endsMax?: number;
  readonly lastGood?: Snapshot;
  readonly probe?: 'none' | 'model' | 'failing';
}

/** A rollout, a modelled Envoy and the wire between them. Nothing moves by itself. */
export class RolloutWorld {
  readonly timers = new FakeTimers();
  rollout: NodeRollout;
  readonly #create: (lastGood: Snapshot | undefined) => NodeRollout;
  readonly dangling: string[] = [];
  envoy: EnvoyModel;
  responses = 0;
  readonly #namesCulprits: boolean;
  #stream: DeltaStream | undefined;
  #close: (() => void) | undefined;

  constructor({ namesCulprits = false, probe = 'model', endsMax = 3, lastGood }: WorldOptions = {}) {
    this.#namesCulprits = namesCulprits;
    this.envoy = new EnvoyModel(namesCulprits);
    this.#create = (good) =>
      new NodeRollout({
        timers: this.timers,
        clock: this.timers.clock,
        ...(good && { lastGood: good }),
        limits: { graceMs: 1_000, drainMs: 3_000, endsMax },
        ...(probe !== 'none' && { probe: { check: async (resources) => this.#check(probe, resources) } }),
      });
    this.rollout = this.#create(lastGood);
  }

  setTarget(parts: readonly SnapshotPart[]): void {
    this.rollout.setTarget(createSnapshot(parts));
  }

  connect(): void {
    this.disconnect();
    const { binding } = this.rollout.openSession();
    const stream = new DeltaStream({
      ...binding,
      send: (response) => {
        this.responses += 1;
        this.envoy.inbox.push(response);
        return true;
      },
    });
    this.#stream = stream;
    this.#close = () => {
      stream.close();
      binding.onClose();
    };
    this.envoy.connect();
  }

  disconnect(): void {
    this.#close?.();
    this.#close = undefined;
    this.#stream = undefined;
  }

  /** Envoy dies, and another starts without configuration. */
  restart(): void {
    this.disconnect();
    this.envoy = new EnvoyModel(this.#namesCulprits);
    this.connect();
  }

  /** A new agent takes over with the set from the disk; Envoy keeps running. */
  restartAgent(lastGood: Snapshot | undefined): void {
    this.disconnect();
    this.rollout.close();
    this.rollout = this.#create(lastGood);
    this.connect();
  }

  /** Lets Envoy process one response. */
  process(): boolean {
    const done = this.envoy.process();
    this.dangling.push(...listDangling(this.envoy));
    return done;
  }

  /** Delivers one of Envoy's requests. */
  answer(): boolean {
    const request = this.#stream && this.envoy.outbox.shift();
    if (request) this.#stream?.receive(request);
    return request !== undefined;
  }

  async tick(ms: number): Promise<void> {
    this.timers.advance(ms);
    for (let turn = 0; turn < 4; turn += 1) await Promise.resolve();
  }

  /** Runs everything until nothing is left to do. */
  async settle(): Promise<void> {
    for (let round = 0; round < 100; round += 1) {
      let moved = false;
      while (this.answer() || this.process()) moved = true;
      await this.tick(500);
      if (!moved && this.rollout.status().state !== 'in_progress' && round > 40) return;
    }
  }

  async #check(probe: 'model' | 'failing', resources: readonly { typeUrl: string; name: string }[]) {
    if (probe === 'failing') throw new Error('admin is away');
    const { active, warming } = this.envoy;
    return new Set(resources.map(toResourceKey).filter((key) => active.has(key) && !warming.has(key)));
  }
}

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { MemberReport } from '@flotilla/ha';
import { createSilentLogger } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { onTestFinished } from 'vitest';
import { HaMember, type HaMemberOptions } from '../ha/ha-member.ts';
import { haPlaces } from '../ha/places.ts';
import { Supervisor } from '../host/units/supervisor.ts';
import { HA_DAEMON } from './ha-daemon-command.ts';

export const PAIR_ID = '0190f5a2-0000-7000-8000-00000000000a';
export const SERVICE_ID = '0190f5a2-0000-7000-8000-000000000001';

/** The desired state of a member of a pair with one address on the loopback interface's network. */
export function pairedState(
  configRev: bigint,
  more: MessageInitShape<typeof fleet.HaPairSchema> = {},
): fleet.DesiredState {
  return create(fleet.DesiredStateSchema, {
    revision: configRev,
    services: [{ serviceId: SERVICE_ID, name: 'shop', generation: 1n, runState: fleet.RunState.RUNNING }],
    ha: {
      pairId: PAIR_ID,
      configRev,
      priority: 100,
      hasPeer: true,
      intervalMs: 200,
      misses: 5,
      paths: [{ network: 'data', local: '192.0.2.1', peer: '192.0.2.2' }],
      keys: [{ id: 1, secret: Buffer.alloc(32, 7) }],
      sendKey: 1,
      addresses: [],
      ...more,
    },
  });
}

export const UNPAIRED = create(fleet.DesiredStateSchema, { revision: 100n });

/** The data folder of one agent whose daemon is a stand-in. A daemon that still runs ends with the test. */
export class HaStage {
  readonly dataDir: string;
  /** Reports of all members that were opened. */
  readonly reports: MemberReport[] = [];
  readonly #opened = new Set<HaMember>();

  private constructor(dataDir: string) {
    this.dataDir = dataDir;
  }

  static async create(): Promise<HaStage> {
    const stage = new HaStage(await mkdtemp(join(tmpdir(), 'ha-')));
    await mkdir(stage.places.daemonDir, { recursive: true });
    onTestFinished(() => stage.#destroy());
    return stage;
  }

  get places() {
    return haPlaces(this.dataDir);
  }

  /** Opens the member as an agent does when it starts. */
  open(options: Partial<HaMemberOptions> = {}): HaMember {
    const logger = createSilentLogger();
    const runner = new Supervisor({ dataDir: this.dataDir, logger });
    const member = new HaMember({
      dataDir: this.dataDir,
      runner,
      logger,
      flotillaCommand: HA_DAEMON,
      version: '0.1.0',
      reports: () => [],
      ...options,
    });
    runner.onEvent((event) => member.noticeEvent(event));
    member.onReport((report) => this.reports.push(report));
    this.#opened.add(member);
    return member;
  }

  /** The configuration in the file. */
  get file() {
    const { configFile } = this.places;
    return existsSync(configFile) ? JSON.parse(readFileSync(configFile, 'utf8')) : undefined;
  }

  get fileMode(): number {
    return statSync(this.places.configFile).mode & 0o777;
  }

  says(what: { report?: object; refusal?: string; isSilent?: boolean }): void {
    writeFileSync(join(this.places.daemonDir, 'says.json'), JSON.stringify(what));
  }

  /** The orders that the daemon has got, and `started` and `released`. */
  get orders(): string[] {
    const path = join(this.places.daemonDir, 'orders.log');
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  }

  get pid(): number | undefined {
    const record = join(this.dataDir, 'units/ha/daemon.pid');
    return existsSync(record) ? Number(readFileSync(record, 'utf8').split(' ')[0]) : undefined;
  }

  async #destroy(): Promise<void> {
    for (const one of this.#opened) await one.close('leave');
    const last = this.open();
    await last.close('stop');
    await rm(this.dataDir, { recursive: true, force: true });
  }
}

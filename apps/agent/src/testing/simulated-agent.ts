import { create } from '@bufbuild/protobuf';
import { createSilentLogger, systemClock } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import type { Client } from '@grpc/grpc-js';
import { type CommandOutcome, toCommandResult } from '../commands/outcome.ts';
import { toStatsResult } from '../commands/results.ts';
import { CommandLink } from '../link/command-link.ts';
import { type ControllerAddress, type Credentials, openClient } from '../link/controller-client.ts';
import { Outbox } from '../link/outbox.ts';
import { createStatsSender } from '../senders/stats-sender.ts';

export interface SimulatedAgentOptions {
  readonly controller: ControllerAddress;
  readonly credentials: Credentials;
  readonly facts: fleet.HostFacts;
  /** An attempt to open the command stream begins. */
  readonly onAttempt?: () => void;
  readonly onConnected?: () => void;
  /** An attempt has failed, or the stream has ended. `code`: the controller's own reason, if it gave one. */
  readonly onLost?: (code: string | undefined) => void;
  readonly onDesired?: (state: fleet.DesiredState) => void;
  /** Ends a command; undefined: as described at the class. */
  readonly answer?: (command: fleet.Command) => CommandOutcome | undefined;
}

const MEMORY_BYTES = 8_000_000_000n;
const DISK_BYTES = 100_000_000_000n;

/**
 * The link of an agent without a host behind it, for many agents in one process: the real connection, command stream,
 * outbox and statistics. It answers CLIENT_STATS, and refuses every other command.
 */
export class SimulatedAgent {
  readonly #client: Client;
  readonly #link: CommandLink;
  readonly #stats: ReturnType<typeof createStatsSender>;
  readonly #outbox = new Outbox();
  readonly #options: SimulatedAgentOptions;
  #isConnected = false;
  #sample = 0;

  constructor(options: SimulatedAgentOptions) {
    this.#options = options;
    this.#client = openClient(options.controller, options.credentials);
    const logger = createSilentLogger();
    const outbox = this.#outbox;
    const host = { hostStats: async () => this.#readStats() };
    this.#stats = createStatsSender({ host, outbox, logger });
    this.#link = new CommandLink({
      client: () => this.#client,
      outbox,
      clock: systemClock,
      logger,
      hello: () => {
        options.onAttempt?.();
        return create(fleet.HelloSchema, { facts: options.facts });
      },
      onWelcome: ({ statsIntervalMs }) => {
        this.#isConnected = true;
        this.#stats.start(statsIntervalMs);
        options.onConnected?.();
      },
      onDesired: (state) => options.onDesired?.(state),
      onCommand: async (command) => this.#answer(command),
      onResultStored: async () => undefined,
      onEventsStored: () => undefined,
      onMinutesStored: () => undefined,
      onTrafficStored: () => undefined,
      onLost: ({ code }) => {
        this.#isConnected = false;
        this.#stats.stop();
        options.onLost?.(code);
      },
    });
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Sends a report. A newer one with the same key replaces one that still waits. */
  put(...message: Parameters<Outbox['put']>): void {
    this.#outbox.put(...message);
  }

  start(): void {
    this.#link.start();
  }

  async close(): Promise<void> {
    this.#stats.stop();
    await this.#link.close();
    this.#client.close();
  }

  #answer(command: fleet.Command): void {
    const { commandId } = command;
    this.#outbox.put(`accepted ${commandId}`, { case: 'accepted', value: { commandId } });
    const ended = this.#options.answer?.(command) ?? this.#end(command);
    this.#outbox.put(`result ${commandId}`, { case: 'result', value: toCommandResult(commandId, ended, 1) });
  }

  #end({ type }: fleet.Command): CommandOutcome {
    return type === 'CLIENT_STATS'
      ? { outcome: 'done', result: toStatsResult(this.#readStats()) }
      : { outcome: 'refused', code: 'command.unsupported', message: 'a simulated agent runs no commands' };
  }

  #readStats(): fleet.HostStats {
    this.#sample += 1;
    const share = (this.#sample % 50) / 100;
    return create(fleet.HostStatsSchema, {
      atMs: BigInt(systemClock.now()),
      load1: share * 4,
      load5: share * 4,
      load15: share * 4,
      cores: 4,
      cpuPercent: share * 100,
      memoryTotalBytes: MEMORY_BYTES,
      memoryUsedBytes: MEMORY_BYTES / 2n,
      disks: [{ mount: '/', totalBytes: DISK_BYTES, usedBytes: DISK_BYTES / 3n }],
      networkRxBytes: BigInt(this.#sample) * 1_000_000n,
      networkTxBytes: BigInt(this.#sample) * 500_000n,
      uptimeS: BigInt(this.#sample) * 30n,
    });
  }
}

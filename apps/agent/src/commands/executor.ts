import { AppError, type Clock, type Logger, toErrorMessage } from '@flotilla/kit';
import type { fleet } from '@flotilla/proto';
import type { ServiceHost } from '../host/index.ts';
import { type CommandKind, deriveKind, raisesFence } from './command-kind.ts';
import type { CommandJournal } from './journal.ts';
import { type CommandOutcome, toCommandResult } from './outcome.ts';
import { runCommand } from './run-command.ts';

export interface ExecutorOptions {
  readonly host: ServiceHost;
  readonly journal: CommandJournal;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of the service in the newest desired state; for commands that do not name one. */
  readonly desiredGeneration: (serviceId: string) => bigint;
  readonly onAccepted: (commandId: string) => void;
  readonly onProgress: (commandId: string, step: string, message: string) => void;
  /** The outcome is on disk, or is a refusal that needs none. */
  readonly onResult: (result: fleet.CommandResult) => void;
}

/** For commands that say none. */
const DEADLINE_DEFAULT_MS = 30 * 60_000;
const PHASES = ['unspecified', 'preparing', 'running', 'stopped', 'failed'];

/**
 * Carries commands out, each at most once. An id that the journal knows is not run: what is known of it is told again.
 * Commands that act on one service run one after the other; those that only wait for the host or look run beside them.
 */
export class CommandExecutor {
  readonly #options: ExecutorOptions;
  readonly #stopped = new AbortController();
  readonly #running = new Map<string, Promise<void>>();
  /** By service, while one of its commands is under way: each waits for the one before. */
  readonly #chains = new Map<string, Promise<void>>();
  /** Ids whose acceptance is being written: a copy that comes meanwhile must not pass. */
  readonly #arriving = new Set<string>();

  constructor(options: ExecutorOptions) {
    this.#options = options;
  }

  /** What was under way when an earlier agent died: waited for again, looked at again, or given up as unknown. */
  resume(): void {
    for (const command of this.#options.journal.interrupted()) {
      const payload = readPayload(command) ?? {};
      const kind = deriveKind(command, payload);
      if (kind && kind.kind !== 'act') this.#launch(command, kind, payload);
      else this.#launchEnding(command, INTERRUPTED);
    }
  }

  /** Takes a command as it came from the controller. */
  async offer(command: fleet.Command): Promise<void> {
    const { journal, onAccepted, onResult } = this.#options;
    const { commandId, serviceId } = command;
    const known = journal.find(commandId);
    if (known) {
      if (known.result) onResult(known.result);
      else onAccepted(commandId);
      return;
    }
    if (this.#arriving.has(commandId)) return;
    const payload = readPayload(command);
    const kind = payload && deriveKind(command, payload);
    const refusal = this.#findRefusal(command, kind);
    if (refusal || !kind) {
      // Nothing was done, so there is nothing to remember: a copy is refused again.
      onResult(toCommandResult(commandId, refusal ?? UNKNOWN_COMMAND(command), 0));
      return;
    }
    this.#arriving.add(commandId);
    try {
      await journal.accept(command, { raisesFence: serviceId !== '' && raisesFence(kind) });
    } catch (error) {
      this.#options.logger.error({ err: error, command_id: commandId }, 'journal.not_written');
      onResult(toCommandResult(commandId, UNWRITABLE, 0));
      return;
    } finally {
      this.#arriving.delete(commandId);
    }
    onAccepted(commandId);
    this.#launch(command, kind, payload);
  }

  /** Commands under way stay open in the journal: the next agent takes them up. */
  async close(): Promise<void> {
    this.#stopped.abort();
    await Promise.all(this.#running.values());
  }

  #findRefusal(command: fleet.Command, kind: CommandKind | undefined): CommandOutcome | undefined {
    const { journal } = this.#options;
    if (!kind) return UNKNOWN_COMMAND(command);
    if (journal.isFull) {
      return {
        outcome: 'refused',
        code: 'agent.busy',
        message: 'this host has too many unfinished commands; wait for them',
      };
    }
    const newest = journal.fence(command.serviceId);
    if (command.serviceId !== '' && raisesFence(kind) && command.fence < newest) {
      const message = `a newer command for this service (fence ${newest}) came before this one (fence ${command.fence})`;
      return { outcome: 'refused', code: 'command.superseded', message };
    }
    return undefined;
  }

  #launch(command: fleet.Command, kind: CommandKind, payload: Readonly<Record<string, unknown>>): void {
    const { commandId, serviceId } = command;
    const run = () => this.#run(command, kind, payload);
    const before = kind.kind === 'act' ? (this.#chains.get(serviceId) ?? Promise.resolve()) : Promise.resolve();
    const done = before.then(run).finally(() => {
      this.#running.delete(commandId);
      if (this.#chains.get(serviceId) === done) this.#chains.delete(serviceId);
    });
    if (kind.kind === 'act') this.#chains.set(serviceId, done);
    this.#running.set(commandId, done);
  }

  #launchEnding(command: fleet.Command, outcome: CommandOutcome): void {
    const done = this.#end(command, outcome, 0).finally(() => this.#running.delete(command.commandId));
    this.#running.set(command.commandId, done);
  }

  async #run(command: fleet.Command, kind: CommandKind, payload: Readonly<Record<string, unknown>>): Promise<void> {
    if (this.#stopped.signal.aborted) return;
    const { host, clock, desiredGeneration } = this.#options;
    const startedAt = clock.monotonic();
    const deadline = AbortSignal.timeout(command.deadlineMs || DEADLINE_DEFAULT_MS);
    const signal = AbortSignal.any([this.#stopped.signal, deadline]);
    const generation = readGeneration(payload) ?? desiredGeneration(command.serviceId);
    const unwatch = kind.kind === 'converge' ? this.#reportSteps(command) : undefined;
    let outcome: CommandOutcome;
    try {
      outcome = await runCommand(command, kind, { host, payload, generation, signal });
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      outcome = deadline.aborted ? TOO_LATE : this.#toFailure(error, command);
    } finally {
      unwatch?.();
    }
    await this.#end(command, outcome, clock.monotonic() - startedAt);
  }

  #reportSteps({ commandId, serviceId }: fleet.Command): () => void {
    let last = '';
    return this.#options.host.onReport((report) => {
      const step = PHASES[report.phase] ?? '';
      if (report.serviceId !== serviceId || `${step} ${report.error}` === last) return;
      last = `${step} ${report.error}`;
      this.#options.onProgress(commandId, step, report.error);
    });
  }

  #toFailure(error: unknown, command: fleet.Command): CommandOutcome {
    this.#options.logger.error({ err: error, command_id: command.commandId, type: command.type }, 'command.failed');
    const code = error instanceof AppError ? error.code : 'agent.failure';
    return { outcome: 'failed', code, message: toErrorMessage(error) };
  }

  async #end(command: fleet.Command, outcome: CommandOutcome, durationMs: number): Promise<void> {
    const { journal, logger, onResult } = this.#options;
    const result = toCommandResult(command.commandId, outcome, durationMs);
    try {
      await journal.finish(result);
    } catch (error) {
      // Told all the same: after a crash the next agent would find it open and end it again.
      logger.error({ err: error, command_id: command.commandId }, 'journal.not_written');
    }
    logger.info({ command_id: command.commandId, type: command.type, outcome: outcome.outcome }, 'command.ended');
    onResult(result);
  }
}

const INTERRUPTED: CommandOutcome = {
  outcome: 'unknown',
  code: 'agent.interrupted',
  message: 'the agent was stopped while this ran and cannot tell whether it was done',
};

const UNWRITABLE: CommandOutcome = {
  outcome: 'refused',
  code: 'agent.journal',
  message: 'the agent cannot write its journal, so it takes no commands; look at the disk of the host',
};

const TOO_LATE: CommandOutcome = {
  outcome: 'failed',
  code: 'command.deadline',
  message: 'it was not done in time; the host goes on towards its desired state',
};

const UNKNOWN_COMMAND = ({ type, subType }: fleet.Command): CommandOutcome => ({
  outcome: 'refused',
  code: 'command.unsupported',
  message: `this agent does not know ${[type, subType].filter(Boolean).join(' ')} with this body; update the agent`,
});

function readPayload({ payloadJson }: fleet.Command): Readonly<Record<string, unknown>> | undefined {
  if (payloadJson.length === 0) return {};
  try {
    const value: unknown = JSON.parse(Buffer.from(payloadJson).toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function readGeneration({ generation }: Readonly<Record<string, unknown>>): bigint | undefined {
  const isWhole =
    (typeof generation === 'number' && Number.isSafeInteger(generation)) || typeof generation === 'string';
  if (!isWhole || !/^\d{1,19}$/.test(String(generation))) return undefined;
  return BigInt(String(generation));
}

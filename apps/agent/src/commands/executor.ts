import { AppError, type Clock, type Logger, toErrorMessage } from '@flotilla/kit';
import type { fleet } from '@flotilla/proto';
import { type CommandSpec, findCommand, selectOperation } from '@flotilla/proto/commands';
import type { ServiceHost } from '../host/index.ts';
import type { Network } from '../network/network.ts';
import type { CommandJournal } from './journal.ts';
import { type CommandOutcome, toCommandResult } from './outcome.ts';
import { COMMAND_HANDLERS } from './run-command.ts';

export interface ExecutorOptions {
  readonly host: ServiceHost;
  readonly network: Network;
  readonly journal: CommandJournal;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Generation of the service in the newest desired state, for commands that do not name one. */
  readonly desiredGeneration: (serviceId: string) => bigint;
  readonly onAccepted: (commandId: string) => void;
  readonly onProgress: (commandId: string, step: string, message: string) => void;
  /** The outcome is on disk, or is a refusal that need not be stored. */
  readonly onResult: (result: fleet.CommandResult) => void;
}

interface Start {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly isResumed: boolean;
}

/** Default for commands without a deadline. */
const DEADLINE_DEFAULT_MS = 30 * 60_000;
/** Their actions are recorded on disk, so a new agent finds out what has become of them. */
const RECORDED_TYPES = new Set(['NETWORK', 'APPLIANCE']);
const PHASES = ['unspecified', 'preparing', 'running', 'stopped', 'failed'];

/**
 * Executes commands, each at most once. A command whose id is in the journal is not run; its known state is reported
 * again. Commands for the same service run in sequence; those that only wait for the host or read run in parallel.
 */
export class CommandExecutor {
  readonly #options: ExecutorOptions;
  readonly #stopped = new AbortController();
  readonly #running = new Map<string, Promise<void>>();
  /** By service, or by type for those of the host, while one of its commands runs: each waits for the previous one. */
  readonly #chains = new Map<string, Promise<void>>();
  /** Ids that are being written to the journal. A copy that arrives during the write must be ignored. */
  readonly #arriving = new Set<string>();

  constructor(options: ExecutorOptions) {
    this.#options = options;
  }

  /**
   * Handles the commands that were running when the previous agent died. Commands that wait or read are repeated. The
   * outcome of actions is reported as unknown, except of those that keep a record.
   */
  resume(): void {
    for (const command of this.#options.journal.interrupted()) {
      const payload = readPayload(command) ?? {};
      const spec = findSpec(command, payload);
      if (spec && (spec.kind !== 'action' || RECORDED_TYPES.has(spec.type)))
        this.#launch(command, spec, { payload, isResumed: true });
      else this.#launchEnding(command, INTERRUPTED);
    }
  }

  /** Accepts a command from the controller. */
  async offer(command: fleet.Command): Promise<void> {
    const { journal, onAccepted, onResult } = this.#options;
    const { commandId } = command;
    const known = journal.find(commandId);
    if (known) {
      if (known.result) onResult(known.result);
      else onAccepted(commandId);
      return;
    }
    if (this.#arriving.has(commandId)) return;
    const payload = readPayload(command);
    const spec = payload && findSpec(command, payload);
    const refusal = this.#findRefusal(command, spec);
    if (refusal || !spec) {
      // Refused commands are not in the journal: a copy is refused again.
      onResult(toCommandResult(commandId, refusal ?? UNKNOWN_COMMAND(command), 0));
      return;
    }
    this.#arriving.add(commandId);
    try {
      await journal.accept(command, { raisesFence: raisesFence(command, spec) });
    } catch (error) {
      this.#options.logger.error({ err: error, command_id: commandId }, 'journal.not_written');
      onResult(toCommandResult(commandId, UNWRITABLE, 0));
      return;
    } finally {
      this.#arriving.delete(commandId);
    }
    onAccepted(commandId);
    this.#launch(command, spec, { payload, isResumed: false });
  }

  /** Running commands stay open in the journal for the next agent. */
  async close(): Promise<void> {
    this.#stopped.abort();
    await Promise.all(this.#running.values());
  }

  #findRefusal(command: fleet.Command, spec: CommandSpec | undefined): CommandOutcome | undefined {
    const { host, journal } = this.#options;
    if (!spec) return UNKNOWN_COMMAND(command);
    const lack = spec.needs === 'nothing' ? undefined : host.lacks(spec.needs);
    if (lack !== undefined) {
      const message = `${spec.name} needs the capability ${spec.needs}, which this host lacks. ${lack}`;
      return { outcome: 'refused', code: 'client.incapable', message };
    }
    if (journal.isFull) {
      return {
        outcome: 'refused',
        code: 'agent.busy',
        message: 'this host has too many unfinished commands; wait until some have finished',
      };
    }
    const newest = journal.fence(command.serviceId);
    if (raisesFence(command, spec) && command.fence < newest) {
      const message = `a newer command for this service (fence ${newest}) arrived before this one (fence ${command.fence})`;
      return { outcome: 'refused', code: 'command.superseded', message };
    }
    return undefined;
  }

  #launch(command: fleet.Command, spec: CommandSpec, start: Start): void {
    const { commandId, serviceId } = command;
    const chain = serviceId || spec.type;
    const run = () => this.#run(command, spec, start);
    const before = spec.kind === 'action' ? (this.#chains.get(chain) ?? Promise.resolve()) : Promise.resolve();
    const done = before.then(run).finally(() => {
      this.#running.delete(commandId);
      if (this.#chains.get(chain) === done) this.#chains.delete(chain);
    });
    if (spec.kind === 'action') this.#chains.set(chain, done);
    this.#running.set(commandId, done);
  }

  #launchEnding(command: fleet.Command, outcome: CommandOutcome): void {
    const done = this.#end(command, outcome, { durationMs: 0, spec: undefined }).finally(() =>
      this.#running.delete(command.commandId),
    );
    this.#running.set(command.commandId, done);
  }

  async #run(command: fleet.Command, spec: CommandSpec, { payload, isResumed }: Start): Promise<void> {
    if (this.#stopped.signal.aborted) return;
    const { host, network, clock, desiredGeneration } = this.#options;
    const startedAt = clock.monotonic();
    const deadline = AbortSignal.timeout(command.deadlineMs || DEADLINE_DEFAULT_MS);
    const signal = AbortSignal.any([this.#stopped.signal, deadline]);
    const generation = readGeneration(payload) ?? desiredGeneration(command.serviceId);
    const unwatch = spec.kind === 'desired' ? this.#reportSteps(command) : undefined;
    let outcome: CommandOutcome;
    try {
      outcome = await COMMAND_HANDLERS[spec.name](command, {
        host,
        network,
        payload,
        isResumed,
        generation,
        signal,
        onStep: (step, text) => this.#options.onProgress(command.commandId, step, text),
      });
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      outcome = deadline.aborted ? TOO_LATE : this.#toFailure(error, command);
    } finally {
      unwatch?.();
    }
    await this.#end(command, outcome, { durationMs: clock.monotonic() - startedAt, spec });
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

  async #end(
    command: fleet.Command,
    outcome: CommandOutcome,
    { durationMs, spec }: { readonly durationMs: number; readonly spec: CommandSpec | undefined },
  ): Promise<void> {
    const { journal, logger, onResult } = this.#options;
    const result = toCommandResult(command.commandId, outcome, durationMs);
    try {
      await journal.finish(result);
    } catch (error) {
      // The result is reported anyway. After a crash, the next agent would find the command open and end it again.
      logger.error({ err: error, command_id: command.commandId }, 'journal.not_written');
    }
    // A query that reads the log of the agent would otherwise find a new line each time.
    const facts = { command_id: command.commandId, type: command.type, outcome: outcome.outcome };
    logger[spec?.kind === 'query' ? 'debug' : 'info'](facts, 'command.ended');
    onResult(result);
  }
}

const INTERRUPTED: CommandOutcome = {
  outcome: 'unknown',
  code: 'agent.interrupted',
  message: 'the agent stopped while this command was running and does not know whether it was completed',
};

const UNWRITABLE: CommandOutcome = {
  outcome: 'refused',
  code: 'agent.journal',
  message: 'the agent cannot write its journal and accepts no commands; check the disk of the host',
};

const TOO_LATE: CommandOutcome = {
  outcome: 'failed',
  code: 'command.deadline',
  message: 'the command was not done before its deadline; the host continues towards its desired state',
};

const UNKNOWN_COMMAND = ({ type, subType }: fleet.Command): CommandOutcome => ({
  outcome: 'refused',
  code: 'command.unsupported',
  message: `this agent does not know ${[type, subType].filter(Boolean).join(' ')} with this body; update the agent`,
});

function findSpec(
  { type, subType }: fleet.Command,
  payload: Readonly<Record<string, unknown>>,
): CommandSpec | undefined {
  return findCommand(type, subType, selectOperation(type, payload));
}

/** Returns true if this command must not run after a later one of the same service. */
function raisesFence({ serviceId }: fleet.Command, { kind }: CommandSpec): boolean {
  return serviceId !== '' && kind !== 'query';
}

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

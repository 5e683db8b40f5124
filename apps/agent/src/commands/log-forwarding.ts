import type { Result } from '@flotilla/kit';
import type { fleet } from '@flotilla/proto';
import { untilAborted } from '../host/serial-loop.ts';
import type { ForwarderChange, ForwarderKey, ForwarderProblem } from '../log-forwarding/index.ts';
import type { CommandHandler, RunOptions } from './handler.ts';
import { readHostLogs } from './logs.ts';
import type { CommandOutcome } from './outcome.ts';

const LOG_LINES = 50;
/** The member of the payload with the configuration. */
const CONFIG_MEMBERS = { syslog: 'rsyslog_config', logshipper: 'filebeat' } as const;

/** The handlers of a type of commands that control a forwarder of logs. */
export function forwarderHandlers(key: ForwarderKey) {
  const change = (run: (command: fleet.Command, options: RunOptions, change: ForwarderChange) => Change) => {
    const handler: CommandHandler = async (command, options) => {
      const { fence } = command;
      const work = run(command, options, { fence, onStep: options.onStep });
      const changed = await untilAborted(work, options.signal);
      options.signal.throwIfAborted();
      return changed?.ok ? conclude(key, options) : toFailure(changed);
    };
    return handler;
  };
  return {
    update: change((_, { host, payload }, rest) => {
      const revision = typeof payload.revision === 'number' ? payload.revision : 0;
      // Only an explicit null removes the forwarder.
      const config = payload[CONFIG_MEMBERS[key]];
      return host.logForwarding[key].update(config === undefined ? {} : config, { ...rest, revision });
    }),
    start: change((_, { host }, rest) => host.logForwarding[key].setWanted('running', rest)),
    stop: change((_, { host }, rest) => host.logForwarding[key].setWanted('stopped', rest)),
    restart: change((_, { host }, rest) => host.logForwarding[key].restart(rest)),
    getConfig: (async (_, { host }) => ({
      outcome: 'done',
      result: (await host.logForwarding[key].masked()) ?? { [CONFIG_MEMBERS[key]]: null },
    })) satisfies CommandHandler,
    getStatus: ((_, options) => conclude(key, options)) satisfies CommandHandler,
    logs: ((_, options) =>
      readHostLogs(key, { ...options, payload: { count: LOG_LINES, ...options.payload } })) satisfies CommandHandler,
  };
}

type Change = Promise<Result<undefined, ForwarderProblem>>;

async function conclude(key: ForwarderKey, { host }: RunOptions): Promise<CommandOutcome> {
  return { outcome: 'done', result: { status: await host.logForwarding[key].status() } };
}

function toFailure(changed: Awaited<Change> | undefined): CommandOutcome {
  if (!changed || changed.ok)
    return { outcome: 'failed', code: 'agent.failure', message: 'the change was interrupted' };
  return changed.error;
}

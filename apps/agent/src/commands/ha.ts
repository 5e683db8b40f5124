import type { fleet } from '@flotilla/proto';
import { type HaOrder, toResult } from '../ha/index.ts';
import { untilAborted } from '../host/serial-loop.ts';
import type { CommandHandler, RunOptions } from './handler.ts';
import type { CommandOutcome } from './outcome.ts';

/** Handlers of commands for a member of a pair. A member that refuses an order says why in the message. */
export const HA_HANDLERS = {
  'HA SUB_STATUS': async (_: fleet.Command, { host }: RunOptions) => ({
    outcome: 'done',
    result: toResult(await host.ha.read()),
  }),
  'HA SUB_HA_RESEND_GARP': (_, options) => give({ order: 'announce' }, options),
  'HA SUB_HA_CLEAR': (_, options) => give({ order: 'clear' }, options),
  'HA SUB_HA_START_ALONE': (_, options) => give({ order: 'start_alone' }, options),
  'HA SUB_FAILOVER': (_, options) => give({ order: 'failover', force: options.payload.force === true }, options),
  'HA SUB_MAINTENANCE': (_, options) => {
    const { enabled, force } = options.payload;
    return give({ order: 'maintenance', enabled: enabled === true, force: force === true }, options);
  },
  'HA SUB_YIELD': (_, options) => give({ order: 'yield', hold_ms: Number(options.payload.hold_ms) }, options),
} as const satisfies Record<string, CommandHandler>;

async function give(order: HaOrder, { host, signal }: RunOptions): Promise<CommandOutcome> {
  const given = await untilAborted(host.ha.order(order), signal);
  signal.throwIfAborted();
  if (!given) return { outcome: 'unknown', code: 'ha.no_answer', message: 'the order was interrupted' };
  return given.ok ? { outcome: 'done', result: toResult(given.value) } : given.error;
}

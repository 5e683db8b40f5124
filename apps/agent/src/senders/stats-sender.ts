import type { fleet } from '@flotilla/proto';
import type { ServiceHost } from '../host/index.ts';
import type { SenderOptions } from './sender-options.ts';

const INTERVAL_DEFAULT_MS = 10_000;
const INTERVAL_MIN_MS = 1000;

/** Samples the host at the controller's interval while there is a stream. */
export function createStatsSender({
  host,
  outbox,
  logger,
  backlogs,
}: Pick<SenderOptions, 'outbox' | 'logger'> & {
  readonly host: Pick<ServiceHost, 'hostStats'>;
  readonly backlogs?: () => fleet.LogSpool[];
}) {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  const send = () => {
    host.hostStats().then(
      (sample) => {
        const value = { ...sample, logSpools: backlogs?.() ?? [] };
        if (timer) outbox.put('stats', { case: 'hostStats', value });
      },
      (error: unknown) => logger.warn({ err: error }, 'stats.failed'),
    );
  };
  return {
    start(intervalMs: number) {
      stop();
      timer = setInterval(send, Math.max(INTERVAL_MIN_MS, intervalMs || INTERVAL_DEFAULT_MS));
      timer.unref();
      send();
    },
    stop,
  };
}

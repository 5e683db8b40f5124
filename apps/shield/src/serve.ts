import { resolve } from 'node:path';
import { CounterBook } from '@flotilla/decision';
import { err, Lifecycle, type Logger, ok, type Result, systemClock, toErrorMessage } from '@flotilla/kit';
import { formatProblem, shieldThreadAddresses } from '@flotilla/policy';
import { createAdminServer } from './admin/admin-server.ts';
import { FindingLog } from './events/finding-log.ts';
import { mergeHotCode } from './inlining.ts';
import { formatAddress } from './listen-address.ts';
import { locateProblems } from './locate-problems.ts';
import { MinuteBook } from './metrics/minute-book.ts';
import { ShieldMetrics } from './metrics/shield-metrics.ts';
import type { ShieldOptions } from './options.ts';
import { Turn } from './pair/turn.ts';
import { PolicySource } from './policy-source.ts';
import { EnvoyWatch } from './self-test/envoy-watch.ts';
import { mergeWiring } from './self-test/self-test.ts';
import { StateKeeper } from './state/state-keeper.ts';
import { FirstThread } from './threads/first-thread.ts';
import { toThreadError } from './threads/messages.ts';
import { ThreadPool } from './threads/thread-pool.ts';
import { createTrafficCells } from './threads/traffic-recorder.ts';
import { boundYoungGeneration } from './young-generation.ts';

/** How long exchanges may take to finish during shutdown. */
const DRAIN_MS = 5000;

interface Surroundings {
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * Runs the filter until `signal` aborts. Does not start with a bad policy: without a last good bundle it must not
 * answer, and the proxy fails protected requests.
 */
export async function serveShield(
  options: ShieldOptions,
  { logger, signal }: Surroundings,
): Promise<Result<void, string[]>> {
  mergeHotCode();
  const lifecycle = new Lifecycle();
  const { addresses, minutes, first, source, pool, wiring, state, turn, admin } = createFilter(options, logger);
  lifecycle.add(boundYoungGeneration());
  // Closers run in reverse order, so the state is saved after the last request.
  lifecycle.add(() => state?.close());
  lifecycle.add(() => minutes.close());
  lifecycle.add(() => wiring?.close());
  lifecycle.add(() => first.close());
  lifecycle.add(() => pool.close(DRAIN_MS));
  lifecycle.add(() => turn.close());
  try {
    const started = await source.start({ watch: true });
    if (!started.ok) return err(await locateProblems(options.policy, started.error));
    lifecycle.add(() => source.close());
    lifecycle.add(() => admin.close());
    if (!(await turn.begin(AbortSignal.any([signal, pool.failed])))) {
      pool.failed.throwIfAborted();
      return ok(undefined);
    }
    minutes.start();
    state?.start();
    wiring?.start();
    logger.info({ event: 'serving', listen: addresses });
    await pool.run(signal, turn.lost);
    await turn.end();
    logger.info({ event: 'draining' });
    return ok(undefined);
  } catch (error) {
    return err([`flotilla shield: ${toErrorMessage(error)}`]);
  } finally {
    await lifecycle.close();
  }
}

/** Creates the parts of the filter, which refer to each other. Nothing runs yet. */
// oxlint-disable-next-line max-lines-per-function -- wiring: the parts refer to each other through closures
function createFilter(options: ShieldOptions, logger: Logger) {
  const { threads, listen, node } = options;
  // Addresses until it is this process's turn to serve.
  const own = Turn.addressesOf(options);
  const counters = new CounterBook({ threads });
  const minutes = new MinuteBook(counters, systemClock);
  const traffic = createTrafficCells(threads);
  const findings = new FindingLog({
    epoch: counters.epoch,
    keep: options.eventsKeep,
    logger,
    onDropped: (from, count) => metrics.onFindingsDropped(from, count),
  });
  const first = new FirstThread({
    listen: own.listen,
    trustedHops: options.xffTrustedHops,
    node,
    traffic,
    findings,
    logger,
  });
  const metrics = new ShieldMetrics({
    threads,
    traffic,
    counters,
    limiters: () => source.current.limiters,
    selfTest: () => selfTest(),
  });
  const source = new PolicySource({
    path: options.policy,
    apply: (bundle, nowMs) => pool.apply(bundle, nowMs),
    onLoadThreadFailed: (error) => {
      metrics.onLoadThreadFailed();
      logger.warn({ event: 'load_thread_failed', err: toThreadError(error) });
    },
    onLoad: (result, failure) => {
      metrics.onReload(result);
      if (failure) logger.warn({ event: 'policy_refused', problems: failure.problems.slice(0, 20).map(formatProblem) });
      else logger.info({ event: 'policy_loaded', version: source.current.digest, domains: source.current.domainCount });
    },
  });
  const pool = new ThreadPool({
    threads,
    first: first.serving,
    listen: own.listen,
    trustedHops: options.xffTrustedHops,
    node,
    counters,
    traffic,
    onNews: (thread, news) => first.onNews(thread, news),
  });
  const wiring =
    options.envoyAdmin === undefined
      ? undefined
      : new EnvoyWatch({
          admin: options.envoyAdmin,
          demands: () => {
            const { digest, bodyMaxBytes, budgetMs } = source.current;
            return { digest, addresses: shieldThreadAddresses(listen, threads), bodyMaxBytes, budgetMs };
          },
          onChange: (reading) => first.onWiring(reading),
        });
  const selfTest = () => mergeWiring(first.selfTest, wiring?.reading);
  const state =
    options.state === undefined
      ? undefined
      : new StateKeeper({ file: resolve(options.state), runtime: () => source.current, logger });
  const turn = new Turn({
    place: options,
    state,
    logger,
    restore: async () => state?.restore(source.current),
    listen: () => pool.listen(),
    listenAdmin: async () => {
      if (own.admin) await admin.listen(own.admin);
    },
  });
  const addresses = shieldThreadAddresses(listen, threads).map(formatAddress);
  const admin = createAdminServer({
    node,
    source,
    metrics,
    minutes,
    findings,
    selfTest,
    duty: () => turn.reading,
    pair: options.pair?.name,
    threads: () => addresses.map((address, thread) => ({ thread, listen: address })),
    trustedHops: options.xffTrustedHops,
    logger,
  });
  return { addresses, minutes, first, source, pool, wiring, state, turn, admin };
}

import { resolve } from 'node:path';
import { CounterBook } from '@flotilla/decision';
import { err, Lifecycle, type Logger, ok, type Result, toErrorMessage } from '@flotilla/kit';
import { formatProblem, shieldThreadAddresses } from '@flotilla/policy';
import { createAdminServer } from './admin/admin-server.ts';
import { FindingLog } from './events/finding-log.ts';
import { mergeHotCode } from './inlining.ts';
import { formatAddress } from './listen-address.ts';
import { locateProblems } from './locate-problems.ts';
import { ShieldMetrics } from './metrics/shield-metrics.ts';
import type { ShieldOptions } from './options.ts';
import { PolicySource } from './policy-source.ts';
import { EnvoyWatch } from './self-test/envoy-watch.ts';
import { mergeWiring } from './self-test/self-test.ts';
import { StateKeeper } from './state/state-keeper.ts';
import { FirstThread } from './threads/first-thread.ts';
import { toThreadError } from './threads/messages.ts';
import { ThreadPool } from './threads/thread-pool.ts';
import { createTrafficCells } from './threads/traffic-recorder.ts';
import { boundYoungGeneration } from './young-generation.ts';

/** How long exchanges may take to end after the program was asked to. */
const DRAIN_MS = 5000;

/**
 * Runs the filter until `signal` aborts. It does not start with a bad policy: without a last good bundle the only safe
 * answer is none, and the proxy fails guarded requests.
 */
export async function serveShield(
  options: ShieldOptions,
  { logger, signal }: { logger: Logger; signal: AbortSignal },
): Promise<Result<void, string[]>> {
  mergeHotCode();
  let ready = false;
  const lifecycle = new Lifecycle();
  const { threads, listen, node } = options;
  const counters = new CounterBook({ threads });
  const traffic = createTrafficCells(threads);
  const findings = new FindingLog({
    epoch: counters.epoch,
    keep: options.eventsKeep,
    logger,
    onDropped: (from, count) => metrics.onFindingsDropped(from, count),
  });
  const first = new FirstThread({ listen, trustedHops: options.xffTrustedHops, node, traffic, findings, logger });
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
    listen,
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
  lifecycle.add(boundYoungGeneration());
  // What is added first is closed last: the state behind the last request.
  lifecycle.add(() => state?.close());
  lifecycle.add(() => wiring?.close());
  lifecycle.add(() => first.close());
  lifecycle.add(() => pool.close(DRAIN_MS));
  try {
    const started = await source.start({ watch: true });
    if (!started.ok) return err(await locateProblems(options.policy, started.error));
    lifecycle.add(() => source.close());

    const addresses = shieldThreadAddresses(listen, threads).map(formatAddress);
    await state?.restore(started.value);
    await pool.listen();
    state?.start();
    wiring?.start();
    ready = true;
    // Not before: whoever reads there that a policy holds takes it that requests are answered by it.
    if (options.admin) {
      const admin = createAdminServer({
        node,
        source,
        metrics,
        counters,
        findings,
        selfTest,
        threads: () => addresses.map((address, thread) => ({ thread, listen: address })),
        trustedHops: options.xffTrustedHops,
        isReady: () => ready,
        logger,
      });
      await admin.listen(options.admin);
      lifecycle.add(() => admin.close());
    }
    logger.info({ event: 'serving', listen: addresses });
    await pool.run(signal);
    ready = false;
    logger.info({ event: 'draining' });
    return ok(undefined);
  } catch (error) {
    return err([`flotilla shield: ${toErrorMessage(error)}`]);
  } finally {
    ready = false;
    await lifecycle.close();
  }
}

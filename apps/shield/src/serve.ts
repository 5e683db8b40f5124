import { once } from 'node:events';
import { CounterBook } from '@flotilla/decision';
import { err, Lifecycle, type Logger, ok, type Result } from '@flotilla/kit';
import { formatProblem } from '@flotilla/policy';
import { createAdminServer } from './admin.ts';
import { openExchange } from './filter.ts';
import { createHttp2Transport } from './http2-transport.ts';
import { formatAddress } from './listen-address.ts';
import { locateProblems } from './locate-problems.ts';
import { ShieldMetrics } from './metrics.ts';
import type { ShieldOptions } from './options.ts';
import { PolicySource } from './policy-source.ts';

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
  let ready = false;
  const lifecycle = new Lifecycle();
  const metrics = new ShieldMetrics({
    engines: () => source.current.engines,
    onEngineFailure: (engine, error) => logger.error({ event: 'engine_failed', engine, err: error }),
  });
  const counters = new CounterBook();
  const source = new PolicySource({
    path: options.policy,
    counters,
    onLoad: (result, failure) => {
      metrics.onReload(result);
      if (failure) logger.warn({ event: 'policy_refused', problems: failure.problems.slice(0, 20).map(formatProblem) });
      else logger.info({ event: 'policy_loaded', version: source.current.digest, domains: source.current.domainCount });
    },
  });
  try {
    const started = await source.start({ watch: true });
    if (!started.ok) return err(await locateProblems(options.policy, started.error));
    lifecycle.add(() => source.close());

    if (options.admin) {
      const admin = createAdminServer({ source, metrics, counters, isReady: () => ready });
      await admin.listen(options.admin);
      lifecycle.add(() => admin.close());
    }
    const exchanges = { trustedHops: options.xffTrustedHops, metrics, currentRuntime: () => source.current };
    const transport = createHttp2Transport(
      () => openExchange(exchanges),
      (error) => {
        metrics.onExchangeError();
        logger.error({ event: 'exchange_failed', err: error });
      },
    );
    await transport.listen(options.listen);
    lifecycle.add(() => transport.close(DRAIN_MS));
    ready = true;
    logger.info({ event: 'serving', listen: formatAddress(options.listen) });
    if (!signal.aborted) await once(signal, 'abort');
    ready = false;
    logger.info({ event: 'draining' });
    return ok(undefined);
  } catch (error) {
    return err([`flotilla shield: ${error instanceof Error ? error.message : String(error)}`]);
  } finally {
    await lifecycle.close();
  }
}

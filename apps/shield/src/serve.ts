import { once } from 'node:events';
import { CounterBook } from '@flotilla/decision';
import { err, Lifecycle, type Logger, ok, type Result } from '@flotilla/kit';
import { formatProblem } from '@flotilla/policy';
import { createAdminServer } from './admin.ts';
import { ExchangeServer } from './exchange/exchange.ts';
import { createExchangeTransport } from './exchange/exchange-transport.ts';
import { formatAddress } from './listen-address.ts';
import { locateProblems } from './locate-problems.ts';
import { ShieldMetrics } from './metrics.ts';
import type { ShieldOptions } from './options.ts';
import { PolicySource } from './policy-source.ts';
import { SelfTest } from './self-test/self-test.ts';

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
    const selfTest = new SelfTest();
    const exchanges = new ExchangeServer({
      trustedHops: options.xffTrustedHops,
      currentRuntime: () => source.current,
      listener: {
        onFinding: (finding) => metrics.onFinding(finding),
        onEngineError: (engine, error) => metrics.onEngineError(engine, error),
        onDecided: (isBlocked) => metrics.onDecided(isBlocked),
        onBodyInspected: () => undefined,
        onBodyAsked: () => selfTest.onBodyAsked(),
        onBodyArrived: (isComplete) => selfTest.onBodyArrived(isComplete),
        onBodyCut: (isBelowCap) => selfTest.onBodyCut(isBelowCap),
        onBodyMissing: () => selfTest.onBodyMissing(),
        onBodyAbandoned: () => selfTest.onBodyAbandoned(),
        onHeadersMissing: () => selfTest.onHeadersMissing(),
      },
    });
    const transport = createExchangeTransport(exchanges, (error) => {
      metrics.onExchangeError();
      logger.error({ event: 'exchange_failed', scope: error.scope, reason: error.reason, err: error.cause });
    });
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

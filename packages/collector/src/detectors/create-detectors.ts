import type { ApiDiscoverySettings } from '@flotilla/contract';
import { createBola } from './bola.ts';
import type { Detector } from './detector.ts';
import { createBruteForce, createPaymentAbuse } from './failed-attempts.ts';
import { createGeoSpread } from './geo-spread.ts';
import { createBehavior, createResponseSize } from './operation-baselines.ts';
import { createPathScan } from './path-scan.ts';
import { createAddressRate, createConsumerRate, createReplay } from './rates.ts';

export type DetectionSettings = ApiDiscoverySettings['detection'];

/** A detector that is switched on. Detectors of one name with the same options understand each other's states. */
export interface DetectorChoice {
  readonly options: string;
  readonly create: () => Detector;
}

function choose<Options>(
  create: (options: Options, salt: number) => Detector,
  options: Options,
  { enabled = true, salt }: { readonly enabled?: boolean; readonly salt: number },
): DetectorChoice[] {
  return enabled ? [{ options: JSON.stringify(options), create: () => create(options, salt) }] : [];
}

const windowOf = ({ window_seconds: seconds, threshold }: { window_seconds: number; threshold: number }) => ({
  windowMs: seconds * 1000,
  threshold,
});

/** `salt` is secret: hashes of texts in the states have it. */
export function chooseDetectors(detection: DetectionSettings, salt: number): DetectorChoice[] {
  const { bola, brute_force: brute, payment_abuse: payment, geo_spread: geo } = detection;
  const { rate_anomaly: rate, ip_rate: addressRate, replay, path_scan: scan } = detection;
  const ofPayment = { threshold: payment.threshold, ratio: payment.min_failure_ratio };
  const on = ({ enabled }: { readonly enabled: boolean }) => ({ enabled, salt });
  return [
    ...choose(
      createBola,
      { ...windowOf(bola), minForbidden: bola.min_forbidden, minForbiddenRatio: bola.min_forbidden_ratio },
      on(bola),
    ),
    ...choose(
      createBruteForce,
      {
        windowMs: brute.window_seconds * 1000,
        consumer: { threshold: brute.threshold, ratio: 0 },
        address: { threshold: brute.threshold_ip, ratio: brute.min_failure_ratio },
      },
      on(brute),
    ),
    ...choose(
      createPaymentAbuse,
      { windowMs: payment.window_seconds * 1000, consumer: ofPayment, address: ofPayment },
      on(payment),
    ),
    ...choose(
      createGeoSpread,
      {
        ...windowOf(geo),
        minSwitches: geo.min_switches,
        escalateHosting: geo.escalate_hosting_asn,
        skipMtls: geo.skip_mtls,
      },
      on(geo),
    ),
    ...choose(createConsumerRate, windowOf(rate), on(rate)),
    ...choose(createAddressRate, windowOf(addressRate), on(addressRate)),
    ...choose(createReplay, windowOf(replay), on(replay)),
    ...choose(createPathScan, windowOf(scan), on(scan)),
    ...chooseBaselines(detection, salt),
  ];
}

function chooseBaselines({ response_size: size, behavior }: DetectionSettings, salt: number): DetectorChoice[] {
  const { latency, error_rate: errors } = behavior;
  return [
    ...choose(
      createResponseSize,
      {
        multiplier: size.multiplier,
        minBaselineBytes: size.min_baseline_bytes,
        minEventBytes: size.min_event_bytes,
        warmup: size.warmup_samples,
        sigma: size.sigma,
        inRow: size.consecutive_n,
      },
      { salt },
    ),
    ...choose(
      createBehavior,
      {
        warmup: behavior.warmup_samples,
        suppressMs: behavior.startup_suppress_seconds * 1000,
        latency: { sigma: latency.sigma, minMs: latency.min_ms, inRow: latency.consecutive_n },
        errors: {
          fast: errors.fast_alpha,
          slow: errors.slow_alpha,
          multiplier: errors.multiplier,
          minRate: errors.min_rate,
          inRow: errors.consecutive_n,
        },
      },
      { salt },
    ),
  ];
}

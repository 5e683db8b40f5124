import { create } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';
import type { EnvoyStatus } from './envoy/envoy-converger.ts';
import type { ShieldStatus } from './shield/shield-converger.ts';

/** What a report on one service is made of. */
export interface ReportedService {
  readonly serviceId: string;
  /** Undefined before a desired state has named the service. */
  readonly desiredGeneration: bigint | undefined;
  /** The newest that was reported as reached, also by an earlier agent. */
  readonly persistedGeneration: bigint;
  readonly envoy: EnvoyStatus;
  /** The Envoy in charge; without a number once it has ended. */
  readonly serving:
    | { readonly version: string; readonly bootstrapDigest: string; readonly pid: number | undefined }
    | undefined;
  readonly shield: ShieldStatus;
  readonly shieldHealth: fleet.ShieldHealth | undefined;
  /** Nothing of it is left on this host. */
  readonly isRemoved: boolean;
  /** Wall time since when it is in its phase. */
  readonly sinceMs: number;
}

/** A generation counts as reached when Envoy runs it and the filter has settled it; what was reached once stays so. */
export function deriveReport(service: ReportedService): fleet.NodeReport {
  const { envoy, shield, serving, isRemoved, persistedGeneration } = service;
  const reached = min(shield.settled, envoy.applied);
  return create(fleet.NodeReportSchema, {
    serviceId: service.serviceId,
    generation: isRemoved ? (service.desiredGeneration ?? persistedGeneration) : max(reached, persistedGeneration),
    phase: isRemoved ? fleet.NodePhase.STOPPED : envoy.phase,
    envoyVersion: serving?.pid === undefined ? '' : serving.version,
    envoyPid: serving?.pid ?? 0,
    bootstrapDigest: serving?.bootstrapDigest ?? '',
    policyDigest: shield.policyDigest,
    error: envoy.error,
    removed: isRemoved,
    restarts: envoy.restarts,
    sinceMs: BigInt(service.sinceMs),
    shieldRunning: shield.running,
    policyError: shield.policyError,
    ...(service.shieldHealth && { shieldHealth: service.shieldHealth }),
  });
}

function min(one: bigint, other: bigint): bigint {
  return other < one ? other : one;
}

function max(one: bigint, other: bigint): bigint {
  return other > one ? other : one;
}

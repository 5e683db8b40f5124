import { create } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';
import type { EnvoyStatus } from './envoy/envoy-converger.ts';
import type { ShieldStatus } from './shield/shield-converger.ts';

export interface ReportedService {
  readonly serviceId: string;
  /** Undefined until a desired state names the service. */
  readonly desiredGeneration: bigint | undefined;
  /** The newest generation that this agent or an earlier one has reported as applied. */
  readonly persistedGeneration: bigint;
  readonly envoy: EnvoyStatus;
  /** The current Envoy. It has no process id after it has ended. */
  readonly serving:
    | { readonly version: string; readonly bootstrapDigest: string; readonly pid: number | undefined }
    | undefined;
  readonly shield: ShieldStatus;
  readonly shieldHealth: fleet.ShieldHealth | undefined;
  readonly listeners: readonly fleet.ListenerState[];
  /** The reason why the admin port is not served. Empty if it is served. */
  readonly adminError: string;
  /** True if nothing of the service remains on this host. */
  readonly isRemoved: boolean;
  /** Wall time of the last change of the phase or the Envoy process. */
  readonly sinceMs: number;
}

/** A generation is applied when Envoy runs it and the filter has settled it. The reported generation never decreases. */
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
    adminError: isRemoved ? '' : service.adminError,
    listeners: isRemoved || serving?.pid === undefined ? [] : [...service.listeners],
    ...(service.shieldHealth && { shieldHealth: service.shieldHealth }),
  });
}

function min(one: bigint, other: bigint): bigint {
  return other < one ? other : one;
}

function max(one: bigint, other: bigint): bigint {
  return other > one ? other : one;
}

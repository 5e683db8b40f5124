import { failHa, type HA_DISABLED_REASONS, type HaPair } from '@flotilla/contract';
import type { AppError } from '@flotilla/kit';
import type { Candidate } from './candidate-store.ts';
import type { FoundAddresses } from './model.ts';

type DisabledReason = (typeof HA_DISABLED_REASONS)[number];

/** Why the client cannot join a pair that has services, or one that has none. */
export function findDisabledReason(
  candidate: Candidate,
  { isServing, hasOverride = false }: { readonly isServing: boolean; readonly hasOverride?: boolean },
): DisabledReason | undefined {
  if (!candidate.isAppliance) return 'not_appliance';
  if (candidate.found === null && !hasOverride) return 'no_ha_address';
  if (candidate.pairId !== null) return 'already_member';
  if (!candidate.connected) return 'not_connected';
  if (isServing && candidate.serviceCount > 0) return 'has_services';
  return undefined;
}

const ERRORS = {
  not_appliance: 'ha.not_appliance',
  no_ha_address: 'ha.no_address',
  already_member: 'ha.already_member',
  not_connected: 'ha.not_connected',
  has_services: 'ha.joiner_loaded',
} as const;

export function failDisabled(reason: DisabledReason, { id }: Pick<Candidate, 'id'>): AppError {
  return failHa(ERRORS[reason], {}, { extra: { client_id: id } });
}

export function toEligible(candidate: Candidate, isServing: boolean) {
  const reason = findDisabledReason(candidate, { isServing });
  return {
    client_id: candidate.id,
    name: candidate.name,
    hostname: candidate.hostname,
    connected: candidate.connected,
    service_count: candidate.serviceCount,
    hb_addrs: toHeartbeatAddresses(candidate.found ?? undefined),
    selectable: reason === undefined,
    ...(reason !== undefined && { disabled_reason: reason }),
  };
}

export function toHeartbeatAddresses(found: FoundAddresses | undefined): HaPair['members'][number]['hb_addrs'] {
  return {
    ...(found && { data: { auto: found.data.address, prefix: found.data.prefix } }),
    ...(found?.mgmt && { mgmt: { auto: found.mgmt.address } }),
  };
}

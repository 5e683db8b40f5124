import { type INVENTORY_LIMITS, INVENTORY_OTHER_HOST } from '@flotilla/contract';
import type { OperationDelta, OperationKey, OperationState } from '@flotilla/inventory';

/** The operations of a project that have a row of their own. */
export interface OperationCounts {
  confirmed: number;
  attack_surface: number;
}

export type OperationLimits = typeof INVENTORY_LIMITS;

const OTHER_OPERATIONS = { confirmed: '{confirmed}', attackSurface: '{attack-surface}' } as const;

/** The key of the row that counts all operations of a half beyond its limit. */
export function otherKey(confirmed: boolean): OperationKey {
  const operation = confirmed ? OTHER_OPERATIONS.confirmed : OTHER_OPERATIONS.attackSurface;
  return { method: 'OTHER', host: INVENTORY_OTHER_HOST, normalizedPath: '/{other}', operation };
}

export function isOtherKey({ method, host, operation }: OperationKey): boolean {
  return (
    method === 'OTHER' &&
    host === INVENTORY_OTHER_HOST &&
    (operation === OTHER_OPERATIONS.confirmed || operation === OTHER_OPERATIONS.attackSurface)
  );
}

/**
 * Decides whether a delta gets the row of its operation, and counts a new or newly confirmed one. False: its half is full, and the row of all others
 * counts it. Halves are separate, so that a scanner cannot displace operations that exist.
 */
export function admit(
  counts: OperationCounts,
  stored: OperationState | undefined,
  { confirmed }: Pick<OperationDelta, 'confirmed'>,
  limits: OperationLimits,
): boolean {
  if (stored?.confirmed || (stored && !confirmed)) return true;
  const half = confirmed ? 'confirmed' : 'attack_surface';
  if (counts[half] >= (confirmed ? limits.confirmed : limits.attackSurface)) return false;
  counts[half] += 1;
  if (stored) counts.attack_surface -= 1;
  return true;
}

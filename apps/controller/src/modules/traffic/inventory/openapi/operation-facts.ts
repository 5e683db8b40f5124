import type { InventoryMethod, InventoryPosture } from '@flotilla/contract';
import type { ObservedScheme, OperationState, RiskFlag, UrlScheme } from '@flotilla/inventory';
import { CATEGORY_BITS, FLAG_BITS, PII_BITS, SCHEME_BITS } from '../model/bits.ts';
import type { OperationRow } from '../model/row.ts';

/** The facts of an operation that a document contains. */
export interface OperationFacts {
  readonly id: string;
  readonly method: InventoryMethod;
  readonly host: string;
  readonly normalizedPath: string;
  readonly isRpc: boolean;
  readonly urlSchemes: readonly UrlScheme[];
  readonly statuses: readonly string[];
  readonly contentTypes: readonly string[];
  readonly queryNames: readonly string[];
  readonly schemes: readonly ObservedScheme[];
  readonly posture: InventoryPosture;
  readonly acceptsAnonymous: boolean;
  readonly flags: readonly RiskFlag[];
  readonly pii: readonly string[];
  readonly categories: readonly string[];
  readonly seen: number;
  readonly risk: number;
  readonly postureRisk: number;
  readonly firstSeen: string;
  readonly lastSeen: string;
}

export function toFacts(row: OperationRow, state: OperationState): OperationFacts {
  return {
    id: row.id,
    method: row.method,
    host: row.host,
    normalizedPath: row.path,
    isRpc: state.grpcService !== '' || row.operation !== '',
    urlSchemes: state.urlSchemes ?? [],
    statuses: Object.keys(state.statuses),
    contentTypes: state.sets.contentTypes,
    queryNames: state.sets.queryNames,
    schemes: SCHEME_BITS.toNames(row.schemes),
    posture: row.auth_posture,
    acceptsAnonymous: state.anonymousMs > 0,
    flags: FLAG_BITS.toNames(row.flags),
    pii: PII_BITS.toNames(row.pii),
    categories: CATEGORY_BITS.toNames(row.categories),
    seen: row.seen,
    risk: row.risk,
    postureRisk: row.posture_risk,
    firstSeen: row.first_seen.toISOString(),
    lastSeen: row.last_seen.toISOString(),
  };
}

import type { ApiDataClass, ApiOwnerOverride, OwnedOperation } from '@flotilla/contract';
import { bandOf } from '@flotilla/inventory';
import { FLAG_BITS, PII_BITS, PROTOCOL_BITS } from '../../inventory/index.ts';
import type { Evaluate } from './evaluate.ts';

/** The columns of an operation that the views need. */
export interface OwnedRow {
  readonly id: string;
  readonly method: OwnedOperation['method'];
  readonly host: string;
  readonly path: string;
  readonly operation: string;
  readonly listeners: readonly string[];
  readonly protocols: number;
  readonly active_risk: number;
  readonly active_posture_risk: number;
  readonly active_flags: number;
  readonly active_pii: number;
  readonly auth_posture: string;
  readonly last_seen: Date;
}

const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE', 'OTHER']);
const ANONYMOUS: ReadonlySet<string> = new Set(['anonymous', 'mixed', 'inconsistent']);

const CLASSES_OF_PII: Readonly<Record<string, readonly ApiDataClass[]>> = {
  email: ['personal'],
  phone: ['personal'],
  ssn: ['personal', 'national_id'],
  credit_card: ['financial'],
  iban: ['financial'],
  jwt_in_path: ['credentials'],
  secret_in_path: ['credentials'],
};
const CREDENTIAL_FLAGS: ReadonlySet<string> = new Set(['credential_in_query', 'basic_auth_plaintext']);

export function isUnauthenticatedWrite({ method, auth_posture: posture }: OwnedRow): boolean {
  return WRITES.has(method) && ANONYMOUS.has(posture);
}

export function toOwned(
  row: OwnedRow,
  {
    evaluate,
    override,
    names,
  }: { evaluate: Evaluate; override: ApiOwnerOverride | undefined; names: readonly string[] },
): OwnedOperation {
  const { matched: _, effective, ...values } = evaluate(row, override);
  const flags = FLAG_BITS.toNames(row.active_flags);
  const pii = PII_BITS.toNames(row.active_pii);
  return {
    operation_id: row.id,
    method: row.method,
    host: row.host,
    path: row.operation === '' ? row.path : `${row.path} ${row.operation}`,
    listeners: [...row.listeners],
    protocols: PROTOCOL_BITS.toNames(row.protocols),
    ...values,
    rules: effective.flatMap((index) => names[index] ?? []),
    overridden: override !== undefined,
    active_risk_score: row.active_risk,
    active_exposure_score: row.active_posture_risk,
    active_risk_band: bandOf(row.active_risk),
    active_flags: flags,
    pii_categories: pii,
    unauthenticated_write: isUnauthenticatedWrite(row),
    suggested_data_classes: suggestClasses(flags, pii),
    last_seen: row.last_seen.toISOString(),
  };
}

function suggestClasses(flags: readonly string[], pii: readonly string[]): ApiDataClass[] {
  const classes = pii.flatMap((category) => CLASSES_OF_PII[category] ?? []);
  const hasCredentials = flags.some((flag) => CREDENTIAL_FLAGS.has(flag));
  return [...new Set<ApiDataClass>([...classes, ...(hasCredentials ? (['credentials'] as const) : [])])];
}

import { ADMINS, type CommandKind, EDITORS, failFleet, READERS, type Role } from '@flotilla/contract';
import type { AppError } from '@flotilla/kit';

export interface CommandRule {
  readonly type: string;
  /** Empty where the type has none. */
  readonly subType: string;
  /** `command.operation`, for types that are told apart by it; else empty. */
  readonly operation: string;
  readonly roles: readonly Role[];
  /**
   * query    fails at once when the client is offline, leaves no trace in the audit log
   * action   fails at once when the client is offline
   * desired  an offline client converges when it is back
   */
  readonly kind: CommandKind;
  /** required: it acts on one service. each: without a service named, on every service of the client. optional: else on the host. */
  readonly service: 'required' | 'each' | 'optional' | 'none';
  /** How long REST waits unless told otherwise. */
  readonly waitMs: number;
  /** How long the client may take. */
  readonly deadlineMs: number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;

const query = { kind: 'query', roles: READERS, waitMs: 15 * SECOND, deadlineMs: 30 * SECOND } as const;
const service = { service: 'required', roles: EDITORS, operation: '' } as const;

/**
 * Every command there is and who may give it: the one place that decides. Reads are for everybody in the project; what
 * touches a service is for editors too; versions and the filter's configuration are for admins and owners.
 */
export const COMMAND_TABLE: readonly CommandRule[] = [
  { ...query, type: 'CLIENT_STATS', subType: '', operation: '', service: 'none' },
  { ...service, type: 'DEPLOY', subType: '', kind: 'desired', waitMs: MINUTE, deadlineMs: 30 * MINUTE },
  { ...service, type: 'UNDEPLOY', subType: '', kind: 'desired', waitMs: MINUTE, deadlineMs: 10 * MINUTE },
  { ...service, type: 'UPDATE_BOOTSTRAP', subType: '', kind: 'desired', waitMs: 30 * SECOND, deadlineMs: 10 * MINUTE },
  { ...service, type: 'SERVICE', subType: 'SUB_START', kind: 'desired', waitMs: 15 * SECOND, deadlineMs: 10 * MINUTE },
  { ...service, type: 'SERVICE', subType: 'SUB_STOP', kind: 'desired', waitMs: 15 * SECOND, deadlineMs: 10 * MINUTE },
  { ...service, type: 'SERVICE', subType: 'SUB_RESTART', kind: 'action', waitMs: 15 * SECOND, deadlineMs: 10 * MINUTE },
  { ...service, type: 'SERVICE', subType: 'SUB_RELOAD', kind: 'action', waitMs: 15 * SECOND, deadlineMs: 10 * MINUTE },
  { ...query, type: 'SERVICE', subType: 'SUB_STATUS', operation: '', service: 'required' },
  { ...query, type: 'SERVICE', subType: 'SUB_LOGS', operation: '', service: 'required' },
  {
    type: 'SHIELD',
    subType: 'UPDATE_SHIELD_CONFIG',
    operation: '',
    roles: ADMINS,
    kind: 'desired',
    service: 'each',
    waitMs: 180 * SECOND,
    deadlineMs: 30 * MINUTE,
  },
  { ...query, type: 'SHIELD', subType: 'GET_SHIELD_CONFIG', operation: '', service: 'each' },
  { ...query, type: 'SHIELD', subType: 'GET_SHIELD_STATUS', operation: '', service: 'each' },
  { ...query, type: 'DATAPLANE_VERSION', subType: '', operation: 'GET_VERSIONS', service: 'optional' },
  {
    type: 'DATAPLANE_VERSION',
    subType: '',
    operation: 'SET_VERSION',
    roles: ADMINS,
    kind: 'desired',
    service: 'optional',
    waitMs: 120 * SECOND,
    deadlineMs: 30 * MINUTE,
  },
];

/**
 * The rule of a command. Of DATAPLANE_VERSION the selector is `command.operation` and nothing else: a sub_type there is
 * refused, so that no reader can be let in by one and change a version by the other.
 */
export function findRule(type: string, subType: string, operation: unknown): CommandRule {
  const ofType = COMMAND_TABLE.filter((rule) => rule.type === type);
  if (ofType.length === 0) throw unsupported(type);
  const subTypes = ofType.map((rule) => rule.subType);
  // SUB_STATUS of a type without sub-types would be a mistake that is better told.
  const ofSubType = ofType.filter((rule) => rule.subType === subType);
  if (ofSubType.length === 0) {
    const supported = subTypes.every((one) => one === '') ? '(none)' : [...new Set(subTypes)].join(', ');
    throw failFleet('command.sub_type', { type, supported, given: subType });
  }
  const rule = ofSubType.find((one) => one.operation === '' || one.operation === operation);
  if (!rule) {
    const supported = ofSubType.map((one) => one.operation).join(' or ');
    const message = `must be ${supported}`;
    throw failFleet(
      'command.invalid',
      { reason: `command.operation: ${message}` },
      { details: [{ path: 'command.operation', rule: 'invalid_value', message }] },
    );
  }
  return rule;
}

export function describeRule(rule: Pick<CommandRule, 'type' | 'subType' | 'operation'>): string {
  return [rule.type, rule.subType, rule.operation].filter((part) => part !== '').join(' ');
}

export function requireRole(rule: CommandRule, role: Role): void {
  if (rule.roles.includes(role)) return;
  throw failFleet('command.forbidden', { command: describeRule(rule), roles: rule.roles.join(' or '), role });
}

function unsupported(type: string): AppError {
  const supported = [...new Set(COMMAND_TABLE.map((rule) => rule.type))];
  return failFleet(
    'command.unsupported',
    { type, supported: supported.join(', ') },
    {
      extra: { supported },
      details: [{ path: 'type', rule: 'unsupported', message: `${type} is not supported here` }],
    },
  );
}

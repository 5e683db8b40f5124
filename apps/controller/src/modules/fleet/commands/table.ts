import {
  ADMIN_READ_PATHS,
  ADMIN_WRITE_PATHS,
  type CommandSpec,
  failFleet,
  findCommand,
  PUBLIC_COMMAND_SPECS,
  type Role,
  rolesOfCommand,
} from '@flotilla/contract';
import type { AppError } from '@flotilla/kit';

export type CommandRule = CommandSpec;

/**
 * Finds the rule of a command. A command selected by `operation` must have no sub_type: otherwise a caller could pass
 * the role check of one operation and run another. Internal commands do not exist here.
 */
export function findRule(type: string, subType: string, operation: unknown): CommandRule {
  const found = findCommand(type, subType, operation);
  if (found && !found.isInternal) return found;
  const ofType = PUBLIC_COMMAND_SPECS.filter((rule) => rule.type === type);
  if (ofType.length === 0) throw unsupported(type);
  const ofSubType = ofType.filter((rule) => rule.subType === subType);
  if (ofSubType.length === 0) {
    const subTypes = ofType.map((rule) => rule.subType);
    const supported = subTypes.every((one) => one === '') ? '(none)' : [...new Set(subTypes)].join(', ');
    throw failFleet('command.sub_type', { type, supported, given: subType });
  }
  throw type === 'PROXY'
    ? invalid('command.path', `must be one of ${[...ADMIN_READ_PATHS, ...ADMIN_WRITE_PATHS].join(', ')}`)
    : invalid(
        type === 'CLIENT_LOGS' ? 'command.log_type' : 'command.operation',
        `must be ${ofSubType.map((one) => one.operation).join(' or ')}`,
      );
}

function invalid(path: string, message: string): AppError {
  return failFleet(
    'command.invalid',
    { reason: `${path}: ${message}` },
    { details: [{ path, rule: 'invalid_value', message }] },
  );
}

export function requireFewClients({ name, clientsMax }: CommandRule, count: number): void {
  if (count > clientsMax) throw invalid('clients', `must be at most ${clientsMax} for ${name}, not ${count}`);
}

export function describeRule(rule: Pick<CommandRule, 'type' | 'subType' | 'operation'>): string {
  return [rule.type, rule.subType, rule.operation].filter((part) => part !== '').join(' ');
}

export function requireRole(rule: CommandRule, role: Role): void {
  const roles = rolesOfCommand(rule);
  if (roles.includes(role)) return;
  throw failFleet('command.forbidden', { command: rule.name, roles: roles.join(' or '), role });
}

function unsupported(type: string): AppError {
  const supported = [...new Set(PUBLIC_COMMAND_SPECS.map((rule) => rule.type))];
  return failFleet(
    'command.unsupported',
    { type, supported: supported.join(', ') },
    {
      extra: { supported },
      details: [{ path: 'type', rule: 'unsupported', message: `${type} is not supported here` }],
    },
  );
}

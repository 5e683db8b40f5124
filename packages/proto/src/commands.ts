import { operationOfPath } from './admin-paths.ts';
import type { Capability } from './capabilities.ts';
import { CLIENT_LOG_TYPES } from './log-query.ts';
import { ROUTING_COMMANDS } from './routing-commands.ts';

export * from './admin-paths.ts';
export * from './appliance.ts';
export * from './capabilities.ts';
export * from './drain-time.ts';
export * from './ha-limits.ts';
export * from './ip-prefix.ts';
export * from './labels.ts';
export * from './log-forwarding.ts';
export * from './log-query.ts';
export * from './network.ts';

interface CommandRow {
  readonly type: string;
  /** Selects one of several operations of the type. */
  readonly subType?: string;
  /** Selects one of several operations of the type; see `selectOperation`. */
  readonly operation?: string;
  /**
   * query    asks the client and changes nothing. It fails at once if the client is offline. An agent that was restarted
   *          meanwhile runs it again
   * action   happens once. It fails at once if the client is offline. If the agent was restarted meanwhile, nobody can know
   *          whether it happened: its outcome is `unknown`, unless the agent keeps a record of the action (NETWORK)
   * desired  changes what the client should run. An offline client converges when it is back. An agent that was restarted
   *          meanwhile waits again until the host has converged
   */
  readonly kind: 'query' | 'action' | 'desired';
  /** read: every member of the project may send it. change: editors, too. administer: owners and admins only. */
  readonly effect: 'read' | 'change' | 'administer';
  /**
   * required  acts on the service that the command names
   * each      acts on the named service, else on every service of the client
   * optional  acts on the named service, else on the host
   */
  readonly service: 'required' | 'each' | 'optional' | 'none';
  /** The ability that the host needs. Commands that only stop, remove or describe something need nothing. */
  readonly needs: Capability | 'nothing';
  /** How long the REST request waits for outcomes by default. */
  readonly waitMs: number;
  /** How long the client may take. */
  readonly deadlineMs: number;
  /** The most clients of one request, if their results may be large. */
  readonly clientsMax?: number;
  /** For queries: the audit log records who asks, because the answer leaves the host with much of what is on it. */
  readonly isRecorded?: boolean;
  /** Only routes of the controller send it, which check more than the rights. POST /api/op/clients does not know it. */
  readonly isInternal?: boolean;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** Each may answer with megabytes, and the answer of the request contains them all. */
const ADMIN_CLIENTS_MAX = 16;
const LOG_CLIENTS_MAX = 16;

const query = {
  kind: 'query',
  effect: 'read',
  needs: 'nothing',
  waitMs: 15 * SECOND,
  deadlineMs: 30 * SECOND,
} as const;
const control = {
  type: 'SERVICE',
  effect: 'change',
  service: 'required',
  needs: 'proxy',
  waitMs: 15 * SECOND,
  deadlineMs: 10 * MINUTE,
} as const;
const service = { kind: 'desired', effect: 'change', service: 'required', needs: 'proxy' } as const;
const install = { kind: 'desired', effect: 'administer', needs: 'proxy', deadlineMs: 30 * MINUTE } as const;
/** An agent that was restarted meanwhile runs it again, which changes nothing more. */
const remove = {
  kind: 'desired',
  effect: 'administer',
  service: 'none',
  needs: 'nothing',
  waitMs: 30 * SECOND,
  deadlineMs: 5 * MINUTE,
} as const;

/** Changes a program that forwards logs. An agent that was restarted meanwhile converges again. */
const forwarding = {
  kind: 'desired',
  effect: 'administer',
  service: 'none',
  waitMs: 60 * SECOND,
  deadlineMs: 5 * MINUTE,
} as const;
const syslog = { type: 'SYSLOG_FWD', needs: 'syslog' } as const;
const shipper = { type: 'LOGSHIPPER', needs: 'logshipper' } as const;
const network = { ...query, type: 'NETWORK', service: 'none', needs: 'network' } as const;
/** The agent tests a change for up to a minute before it keeps it. */
const changeNetwork = {
  ...network,
  kind: 'action',
  effect: 'administer',
  waitMs: 120 * SECOND,
  deadlineMs: 5 * MINUTE,
} as const;
/** Each may list thousands of routes. */
const NETWORK_CLIENTS_MAX = 16;
const appliance = { ...query, type: 'APPLIANCE', service: 'none', needs: 'appliance' } as const;
const ha = { ...query, type: 'HA', service: 'none', needs: 'ha' } as const;
/** The daemon answers at once. An operator waits for it, so that the deadline is short. */
const orderHa = { ...ha, kind: 'action', effect: 'administer', deadlineMs: 15 * SECOND } as const;
/** The answer of each is a chunk of a file. */
const CHUNK_CLIENTS_MAX = 1;

/**
 * Every command that a controller sends to agents. The contract adds a schema of its body, the agent a handler and the screens
 * a name; each of these is a record over `CommandName`, so the compiler reports a row that lacks one.
 */
export const COMMANDS = [
  { ...query, type: 'CLIENT_STATS', service: 'none' },
  { ...query, type: 'CLIENT_LOGS', operation: 'AGENT', service: 'none', clientsMax: LOG_CLIENTS_MAX },
  // The journal of a host holds what its administrators do.
  {
    ...query,
    type: 'CLIENT_LOGS',
    operation: 'HOST',
    effect: 'administer',
    service: 'none',
    clientsMax: LOG_CLIENTS_MAX,
  },
  { ...query, type: 'ROUTING_LOGS', service: 'none', needs: 'routing', clientsMax: LOG_CLIENTS_MAX },
  { ...service, type: 'DEPLOY', waitMs: MINUTE, deadlineMs: 30 * MINUTE },
  { ...service, type: 'UNDEPLOY', needs: 'nothing', waitMs: MINUTE, deadlineMs: 10 * MINUTE },
  { ...service, type: 'UPDATE_BOOTSTRAP', waitMs: 30 * SECOND, deadlineMs: 10 * MINUTE },
  { ...control, subType: 'SUB_START', kind: 'desired' },
  { ...control, subType: 'SUB_STOP', kind: 'desired', needs: 'nothing' },
  { ...control, subType: 'SUB_RESTART', kind: 'action' },
  { ...control, subType: 'SUB_RELOAD', kind: 'action' },
  { ...query, type: 'SERVICE', subType: 'SUB_STATUS', service: 'required' },
  { ...query, type: 'SERVICE', subType: 'SUB_LOGS', service: 'required', clientsMax: LOG_CLIENTS_MAX },
  {
    ...install,
    type: 'SHIELD',
    subType: 'UPDATE_SHIELD_CONFIG',
    service: 'each',
    needs: 'shield',
    waitMs: 180 * SECOND,
  },
  { ...query, type: 'SHIELD', subType: 'GET_SHIELD_CONFIG', service: 'each', needs: 'shield' },
  { ...query, type: 'SHIELD', subType: 'GET_SHIELD_STATUS', service: 'each', needs: 'shield' },
  { ...query, type: 'PROXY', operation: 'READ', service: 'required', needs: 'proxy', clientsMax: ADMIN_CLIENTS_MAX },
  { ...control, type: 'PROXY', operation: 'WRITE', kind: 'action', effect: 'administer', deadlineMs: 30 * SECOND },
  { ...query, type: 'DATAPLANE_VERSION', operation: 'GET_VERSIONS', service: 'optional' },
  { ...install, type: 'DATAPLANE_VERSION', operation: 'SET_VERSION', service: 'optional', waitMs: 120 * SECOND },
  { ...remove, type: 'DATAPLANE_VERSION', operation: 'REMOVE_VERSION' },
  { ...install, type: 'UPGRADE_LISTENER', service: 'required', waitMs: 120 * SECOND },
  { ...query, type: 'WAF_VERSION', operation: 'GET_VERSIONS', service: 'none', needs: 'waf' },
  { ...install, type: 'WAF_VERSION', operation: 'SET_VERSION', service: 'none', needs: 'waf', waitMs: 120 * SECOND },
  { ...remove, type: 'WAF_VERSION', operation: 'REMOVE_VERSION', needs: 'waf' },
  ...ROUTING_COMMANDS,
  { ...forwarding, ...syslog, subType: 'UPDATE_RSYSLOG_CONFIG' },
  { ...query, ...syslog, subType: 'GET_RSYSLOG_CONFIG', service: 'none' },
  { ...query, ...syslog, subType: 'GET_RSYSLOG_STATUS', service: 'none' },
  { ...forwarding, ...syslog, subType: 'SUB_START' },
  { ...forwarding, ...syslog, subType: 'SUB_STOP' },
  { ...forwarding, ...syslog, subType: 'SUB_RESTART', kind: 'action' },
  { ...query, ...syslog, subType: 'SUB_LOGS', service: 'none', clientsMax: LOG_CLIENTS_MAX },
  { ...forwarding, ...shipper, subType: 'UPDATE_FILEBEAT_CONFIG' },
  { ...query, ...shipper, subType: 'GET_FILEBEAT_CONFIG', service: 'none' },
  { ...query, ...shipper, subType: 'GET_FILEBEAT_STATUS', service: 'none' },
  { ...forwarding, ...shipper, subType: 'SUB_START' },
  { ...forwarding, ...shipper, subType: 'SUB_STOP' },
  { ...forwarding, ...shipper, subType: 'SUB_RESTART', kind: 'action' },
  { ...query, ...shipper, subType: 'SUB_LOGS', service: 'none', clientsMax: LOG_CLIENTS_MAX },
  { ...changeNetwork, subType: 'SUB_NETPLAN_APPLY' },
  { ...network, subType: 'SUB_NETPLAN_GET', clientsMax: NETWORK_CLIENTS_MAX },
  { ...changeNetwork, subType: 'SUB_NETPLAN_ROLLBACK' },
  { ...changeNetwork, subType: 'SUB_ROUTE_MANAGE' },
  { ...network, subType: 'SUB_ROUTE_LIST', clientsMax: NETWORK_CLIENTS_MAX },
  { ...changeNetwork, subType: 'SUB_POLICY_MANAGE' },
  { ...network, subType: 'SUB_POLICY_LIST', clientsMax: NETWORK_CLIENTS_MAX },
  { ...changeNetwork, subType: 'SUB_TABLE_MANAGE' },
  { ...network, subType: 'SUB_TABLE_LIST', clientsMax: NETWORK_CLIENTS_MAX },
  { ...network, subType: 'SUB_GET_NETWORK_STATE', clientsMax: NETWORK_CLIENTS_MAX },
  { ...appliance, subType: 'SUB_STATUS', waitMs: 30 * SECOND, deadlineMs: MINUTE },
  { ...appliance, subType: 'SUB_BUNDLE_LIST' },
  { ...appliance, subType: 'SUB_BUNDLE_CREATE', kind: 'action', effect: 'administer' },
  {
    ...appliance,
    subType: 'SUB_BUNDLE_READ',
    effect: 'administer',
    isRecorded: true,
    clientsMax: CHUNK_CLIENTS_MAX,
  },
  { ...appliance, subType: 'SUB_BUNDLE_DELETE', kind: 'action', effect: 'administer' },
  { ...ha, subType: 'SUB_STATUS' },
  { ...orderHa, subType: 'SUB_HA_RESEND_GARP' },
  { ...orderHa, subType: 'SUB_HA_CLEAR' },
  { ...orderHa, subType: 'SUB_HA_START_ALONE' },
  { ...orderHa, subType: 'SUB_FAILOVER', isInternal: true },
  { ...orderHa, subType: 'SUB_MAINTENANCE', isInternal: true },
  { ...orderHa, subType: 'SUB_YIELD', isInternal: true },
] as const satisfies readonly CommandRow[];

type NameOf<Row> =
  Row extends Record<'type' | 'subType', string>
    ? `${Row['type']} ${Row['subType']}`
    : Row extends Record<'type' | 'operation', string>
      ? `${Row['type']} ${Row['operation']}`
      : Row extends Record<'type', string>
        ? Row['type']
        : never;

/** `SERVICE SUB_START`: the type and what selects one of its operations. */
export type CommandName = NameOf<(typeof COMMANDS)[number]>;

/** A row with its name. Selectors that the type does not have are empty. */
export interface CommandSpec extends Required<CommandRow> {
  readonly name: CommandName;
}

export const COMMAND_SPECS: readonly CommandSpec[] = COMMANDS.map((row: CommandRow) => {
  const { subType = '', operation = '' } = row;
  const name = [row.type, subType, operation].filter((part) => part !== '').join(' ') as CommandName;
  return {
    clientsMax: Number.POSITIVE_INFINITY,
    isRecorded: false,
    isInternal: false,
    ...row,
    subType,
    operation,
    name,
  };
});

/** The commands of POST /api/op/clients. */
export const PUBLIC_COMMAND_SPECS: readonly CommandSpec[] = COMMAND_SPECS.filter(({ isInternal }) => !isInternal);

const SPEC_BY_NAME = Object.fromEntries(COMMAND_SPECS.map((spec) => [spec.name, spec])) as Record<
  CommandName,
  CommandSpec
>;

export function specOf(name: CommandName): CommandSpec {
  return SPEC_BY_NAME[name];
}

/**
 * Returns what selects the operation of a command with this body: the path for PROXY, the log for CLIENT_LOGS, and the member
 * `operation` for others. Undefined for a path that commands may not call.
 */
export function selectOperation(type: string, body: Readonly<Record<string, unknown>>): unknown {
  if (type === 'PROXY') return operationOfPath(body.path);
  if (type === 'CLIENT_LOGS') return body.log_type ?? CLIENT_LOG_TYPES[0];
  return body.operation;
}

/** Undefined if there is no such command. `operation` counts only for types that have operations. */
export function findCommand(type: string, subType: string, operation: unknown): CommandSpec | undefined {
  return COMMAND_SPECS.find(
    (spec) => spec.type === type && spec.subType === subType && (spec.operation === '' || spec.operation === operation),
  );
}

import { readFile } from 'node:fs/promises';
import { COMMAND_SPECS, PUBLIC_COMMAND_SPECS, type Role, selectOperation } from '@flotilla/contract';
import { AppError } from '@flotilla/kit';
import { describe, expect, it } from 'vitest';
import { findRule, requireRole } from './table.ts';

const EVERYBODY: Role[] = ['owner', 'admin', 'editor', 'viewer'];

/** Written by hand from the reference, so that a mistake in the table is found. */
const EXPECTED: Record<string, Role[]> = {
  'CLIENT_STATS||': EVERYBODY,
  'CLIENT_LOGS||AGENT': EVERYBODY,
  'CLIENT_LOGS||HOST': ['owner', 'admin'],
  'ROUTING_LOGS||': EVERYBODY,
  'DEPLOY||': ['owner', 'admin', 'editor'],
  'UNDEPLOY||': ['owner', 'admin', 'editor'],
  'UPDATE_BOOTSTRAP||': ['owner', 'admin', 'editor'],
  'SERVICE|SUB_START|': ['owner', 'admin', 'editor'],
  'SERVICE|SUB_STOP|': ['owner', 'admin', 'editor'],
  'SERVICE|SUB_RESTART|': ['owner', 'admin', 'editor'],
  'SERVICE|SUB_RELOAD|': ['owner', 'admin', 'editor'],
  'SERVICE|SUB_STATUS|': EVERYBODY,
  'SERVICE|SUB_LOGS|': EVERYBODY,
  'SHIELD|UPDATE_SHIELD_CONFIG|': ['owner', 'admin'],
  'SHIELD|GET_SHIELD_CONFIG|': EVERYBODY,
  'SHIELD|GET_SHIELD_STATUS|': EVERYBODY,
  'PROXY||READ': EVERYBODY,
  'PROXY||WRITE': ['owner', 'admin'],
  'DATAPLANE_VERSION||GET_VERSIONS': EVERYBODY,
  'DATAPLANE_VERSION||SET_VERSION': ['owner', 'admin'],
  'DATAPLANE_VERSION||REMOVE_VERSION': ['owner', 'admin'],
  'UPGRADE_LISTENER||': ['owner', 'admin'],
  'WAF_VERSION||GET_VERSIONS': EVERYBODY,
  'WAF_VERSION||SET_VERSION': ['owner', 'admin'],
  'WAF_VERSION||REMOVE_VERSION': ['owner', 'admin'],
  'ROUTING|BGP_GET_CONFIG|': EVERYBODY,
  'ROUTING|BGP_LIST_NEIGHBORS|': EVERYBODY,
  'ROUTING|BGP_GET_NEIGHBOR|': EVERYBODY,
  'ROUTING|BGP_GET_POLICY_CONFIG|': EVERYBODY,
  'ROUTING|BGP_SHOW_ROUTES|': EVERYBODY,
  'ROUTING|BGP_GET_SUMMARY|': EVERYBODY,
  'ROUTING|BGP_DIFF_CONFIG|': ['owner', 'admin'],
  'ROUTING|BGP_SET_CONFIG|': ['owner', 'admin'],
  'ROUTING|BGP_ADD_NEIGHBOR|': ['owner', 'admin'],
  'ROUTING|BGP_UPDATE_NEIGHBOR|': ['owner', 'admin'],
  'ROUTING|BGP_REMOVE_NEIGHBOR|': ['owner', 'admin'],
  'ROUTING|BGP_APPLY_PREFIX_LIST|': ['owner', 'admin'],
  'ROUTING|BGP_REMOVE_PREFIX_LIST|': ['owner', 'admin'],
  'ROUTING|BGP_APPLY_COMMUNITY_LIST|': ['owner', 'admin'],
  'ROUTING|BGP_REMOVE_COMMUNITY_LIST|': ['owner', 'admin'],
  'ROUTING|BGP_APPLY_ROUTE_MAP|': ['owner', 'admin'],
  'ROUTING|BGP_REMOVE_ROUTE_MAP|': ['owner', 'admin'],
  'ROUTING|BGP_CLEAR_ROUTES|': ['owner', 'admin'],
  'SYSLOG_FWD|UPDATE_RSYSLOG_CONFIG|': ['owner', 'admin'],
  'SYSLOG_FWD|GET_RSYSLOG_CONFIG|': EVERYBODY,
  'SYSLOG_FWD|GET_RSYSLOG_STATUS|': EVERYBODY,
  'SYSLOG_FWD|SUB_START|': ['owner', 'admin'],
  'SYSLOG_FWD|SUB_STOP|': ['owner', 'admin'],
  'SYSLOG_FWD|SUB_RESTART|': ['owner', 'admin'],
  'SYSLOG_FWD|SUB_LOGS|': EVERYBODY,
  'LOGSHIPPER|UPDATE_FILEBEAT_CONFIG|': ['owner', 'admin'],
  'LOGSHIPPER|GET_FILEBEAT_CONFIG|': EVERYBODY,
  'LOGSHIPPER|GET_FILEBEAT_STATUS|': EVERYBODY,
  'LOGSHIPPER|SUB_START|': ['owner', 'admin'],
  'LOGSHIPPER|SUB_STOP|': ['owner', 'admin'],
  'LOGSHIPPER|SUB_RESTART|': ['owner', 'admin'],
  'LOGSHIPPER|SUB_LOGS|': EVERYBODY,
  'NETWORK|SUB_NETPLAN_APPLY|': ['owner', 'admin'],
  'NETWORK|SUB_NETPLAN_GET|': EVERYBODY,
  'NETWORK|SUB_NETPLAN_ROLLBACK|': ['owner', 'admin'],
  'NETWORK|SUB_ROUTE_MANAGE|': ['owner', 'admin'],
  'NETWORK|SUB_ROUTE_LIST|': EVERYBODY,
  'NETWORK|SUB_POLICY_MANAGE|': ['owner', 'admin'],
  'NETWORK|SUB_POLICY_LIST|': EVERYBODY,
  'NETWORK|SUB_TABLE_MANAGE|': ['owner', 'admin'],
  'NETWORK|SUB_TABLE_LIST|': EVERYBODY,
  'NETWORK|SUB_GET_NETWORK_STATE|': EVERYBODY,
  'APPLIANCE|SUB_STATUS|': EVERYBODY,
  'APPLIANCE|SUB_BUNDLE_LIST|': EVERYBODY,
  'APPLIANCE|SUB_BUNDLE_CREATE|': ['owner', 'admin'],
  'APPLIANCE|SUB_BUNDLE_READ|': ['owner', 'admin'],
  'APPLIANCE|SUB_BUNDLE_DELETE|': ['owner', 'admin'],
  'HA|SUB_STATUS|': EVERYBODY,
  'HA|SUB_HA_RESEND_GARP|': ['owner', 'admin'],
  'HA|SUB_HA_CLEAR|': ['owner', 'admin'],
  'HA|SUB_HA_START_ALONE|': ['owner', 'admin'],
};

describe('the table of commands', () => {
  it('contains every command once, and no other', () => {
    const keys = PUBLIC_COMMAND_SPECS.map((rule) => `${rule.type}|${rule.subType}|${rule.operation}`);
    expect(keys.toSorted()).toEqual(Object.keys(EXPECTED).toSorted());
  });

  it('is described row by row in the guide (fault M6)', async () => {
    const guide = await readFile(new URL('../../../../../../docs/guides/commands.md', import.meta.url), 'utf8');
    const rows = guide.split('\n').filter((line) => /^\| `[A-Z_]+` \|/.test(line));
    const described = rows.map((row) => {
      const [, type = '', subType = '', who = '', what = ''] = row.split('|').map((cell) => cell.trim());
      const operation = /`(?:operation|paths|log_type): (\w+)`/.exec(what)?.[1] ?? '';
      const roles = who === 'everybody' ? EVERYBODY : who.split(', ');
      return [`${type}|${subType}|${operation}`.replaceAll('`', ''), roles];
    });
    expect(Object.fromEntries(described)).toEqual(EXPECTED);
  });

  it.each(
    Object.entries(EXPECTED).flatMap(([key, roles]) =>
      EVERYBODY.map((role) => ({ key, role, may: roles.includes(role) })),
    ),
  )('lets a $role run $key: $may', ({ key, role, may }) => {
    const [type = '', subType = '', operation = ''] = key.split('|');
    const rule = findRule(type, subType, operation || undefined);
    const attempt = () => requireRole(rule, role);
    if (may) expect(attempt).not.toThrow();
    else expect(attempt).toThrow(expect.objectContaining({ code: 'command.forbidden', httpStatus: 403 }));
  });

  it.each([
    ['NOWHERE', '', undefined, 'command.unsupported'],
    ['NETWORK', '', 'SUB_ROUTE_LIST', 'command.sub_type'],
    ['NETWORK', 'SUB_STATUS', 'SUB_ROUTE_MANAGE', 'command.sub_type'],
    ['network', 'SUB_ROUTE_LIST', undefined, 'command.unsupported'],
    // The path of the command selects the operation: what the caller calls it does not count.
    ['PROXY', '', selectOperation('PROXY', { path: '/quitquitquit', operation: 'READ' }), 'command.invalid'],
    ['PROXY', '', selectOperation('PROXY', { path: '/stats/../healthcheck/fail' }), 'command.invalid'],
    ['PROXY', '', selectOperation('PROXY', { operation: 'WRITE' }), 'command.invalid'],
    // The log selects the rule, too.
    ['CLIENT_LOGS', '', selectOperation('CLIENT_LOGS', { log_type: 'host' }), 'command.invalid'],
    ['CLIENT_LOGS', '', selectOperation('CLIENT_LOGS', { log_type: ['AGENT'] }), 'command.invalid'],
    ['CLIENT_LOGS', '', selectOperation('CLIENT_LOGS', { log_type: 'ALL', operation: 'AGENT' }), 'command.invalid'],
    ['CLIENT_LOGS', 'SUB_LOGS', 'AGENT', 'command.sub_type'],
    ['PROXY', 'READ', 'READ', 'command.sub_type'],
    ['PROXY', 'SUB_STATUS', 'WRITE', 'command.sub_type'],
    ['proxy', '', 'READ', 'command.unsupported'],
    ['HA', '', undefined, 'command.sub_type'],
    ['HA', 'SUB_HA_STATUS', undefined, 'command.sub_type'],
    // Only routes of the controller send these.
    ['HA', 'SUB_FAILOVER', undefined, 'command.sub_type'],
    ['HA', 'SUB_MAINTENANCE', undefined, 'command.sub_type'],
    ['HA', 'SUB_YIELD', undefined, 'command.sub_type'],
    ['HA', '', 'SUB_FAILOVER', 'command.sub_type'],
    // The sub_type alone selects a ROUTING command, in exactly one spelling.
    ['ROUTING', '', 'BGP_SET_CONFIG', 'command.sub_type'],
    ['ROUTING', 'bgp_get_config', undefined, 'command.sub_type'],
    ['ROUTING', 'BGP_GET_CONFIG ', undefined, 'command.sub_type'],
    ['ROUTING_LOGS', 'BGP_SET_CONFIG', undefined, 'command.sub_type'],
    ['routing', 'BGP_GET_CONFIG', undefined, 'command.unsupported'],
    ['FRR', 'BGP_GET_CONFIG', undefined, 'command.unsupported'],
    ['deploy', '', undefined, 'command.unsupported'],
    ['__proto__', '', undefined, 'command.unsupported'],
    ['SERVICE', '', undefined, 'command.sub_type'],
    ['SERVICE', 'SUB_NETPLAN_APPLY', undefined, 'command.sub_type'],
    ['DEPLOY', 'SUB_STATUS', undefined, 'command.sub_type'],
    // The operation selects the rule: a sub_type must not bypass it.
    ['DATAPLANE_VERSION', 'GET_VERSIONS', 'SET_VERSION', 'command.sub_type'],
    ['DATAPLANE_VERSION', 'SET_VERSION', 'GET_VERSIONS', 'command.sub_type'],
    ['DATAPLANE_VERSION', '', undefined, 'command.invalid'],
    ['DATAPLANE_VERSION', '', ['SET_VERSION'], 'command.invalid'],
    ['DATAPLANE_VERSION', '', 'REMOVE', 'command.invalid'],
  ])('refuses %s %s %s with %s', (type, subType, operation, code) => {
    let thrown: unknown;
    try {
      findRule(type, subType, operation);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(AppError);
    expect(thrown).toMatchObject({ code, httpStatus: 400 });
  });

  it('names no internal command in a refusal, and lets only owners and admins send the routes that use one', () => {
    expect(() => findRule('HA', 'SUB_FAILOVER', undefined)).toThrow(
      /takes the sub_type SUB_STATUS, SUB_HA_RESEND_GARP, SUB_HA_CLEAR, SUB_HA_START_ALONE, not/,
    );
    const internal = COMMAND_SPECS.filter(({ isInternal }) => isInternal);
    expect(internal.map(({ name, effect }) => [name, effect])).toEqual([
      ['HA SUB_FAILOVER', 'administer'],
      ['HA SUB_MAINTENANCE', 'administer'],
      ['HA SUB_YIELD', 'administer'],
    ]);
  });

  it('names the supported types for an unknown one', () => {
    expect(() => findRule('NOWHERE', '', undefined)).toThrow(
      /CLIENT_STATS, CLIENT_LOGS, ROUTING_LOGS, DEPLOY, UNDEPLOY, UPDATE_BOOTSTRAP, SERVICE, SHIELD, PROXY, DATAPLANE_VERSION/,
    );
  });
});

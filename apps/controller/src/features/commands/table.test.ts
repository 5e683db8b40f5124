import type { Role } from '@flotilla/contract';
import { AppError } from '@flotilla/kit';
import { describe, expect, it } from 'vitest';
import { COMMAND_TABLE, findRule, requireRole } from './table.ts';

const EVERYBODY: Role[] = ['owner', 'admin', 'editor', 'viewer'];

/** Written out by hand from the reference, so that a slip in the table shows. */
const EXPECTED: Record<string, Role[]> = {
  'CLIENT_STATS||': EVERYBODY,
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
  'DATAPLANE_VERSION||GET_VERSIONS': EVERYBODY,
  'DATAPLANE_VERSION||SET_VERSION': ['owner', 'admin'],
};

describe('the table of commands', () => {
  it('holds every command once, and no other', () => {
    const keys = COMMAND_TABLE.map((rule) => `${rule.type}|${rule.subType}|${rule.operation}`);
    expect(keys.toSorted()).toEqual(Object.keys(EXPECTED).toSorted());
  });

  it.each(
    Object.entries(EXPECTED).flatMap(([key, roles]) =>
      EVERYBODY.map((role) => ({ key, role, may: roles.includes(role) })),
    ),
  )('lets a $role give $key: $may', ({ key, role, may }) => {
    const [type = '', subType = '', operation = ''] = key.split('|');
    const rule = findRule(type, subType, operation || undefined);
    const attempt = () => requireRole(rule, role);
    if (may) expect(attempt).not.toThrow();
    else expect(attempt).toThrow(expect.objectContaining({ code: 'command.forbidden', httpStatus: 403 }));
  });

  it.each([
    ['PROXY', '', undefined, 'command.unsupported'],
    ['HA', 'SUB_STATUS', undefined, 'command.unsupported'],
    ['deploy', '', undefined, 'command.unsupported'],
    ['__proto__', '', undefined, 'command.unsupported'],
    ['SERVICE', '', undefined, 'command.sub_type'],
    ['SERVICE', 'SUB_NETPLAN_APPLY', undefined, 'command.sub_type'],
    ['DEPLOY', 'SUB_STATUS', undefined, 'command.sub_type'],
    // The selector of versions is the operation: no sub_type opens another door.
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

  it('names the supported types when it does not know one', () => {
    expect(() => findRule('NETWORK', '', undefined)).toThrow(
      /CLIENT_STATS, DEPLOY, UNDEPLOY, UPDATE_BOOTSTRAP, SERVICE, SHIELD, DATAPLANE_VERSION/,
    );
  });
});

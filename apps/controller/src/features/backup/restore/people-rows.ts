import { LEVELS, nameSchema, RESOURCE_KINDS, ROLES } from '@flotilla/contract';
import * as z from 'zod';
import type { BackupRow } from '../sealed.ts';
import { check, id } from './check.ts';
import type { Restorable } from './content.ts';
import type { RestorableMember } from './members.ts';
import type { People } from './people.ts';

const groupRow = z.looseObject({ id, name: nameSchema, description: z.string().max(1024).nullable() });
/** Without a name: of somebody who was taken away while the backup was made. */
const username = z.string().max(256).nullable();
const membershipRow = z.looseObject({
  user_id: id,
  username,
  role: z.enum(ROLES),
  given_by: z.string().max(256).nullable(),
});
const memberRow = z.looseObject({ group_id: id, username });
const permissionRow = z.looseObject({
  id,
  resource_kind: z.enum(RESOURCE_KINDS),
  resource_id: id.nullable(),
  group_id: id.nullable(),
  username,
  level: z.enum(LEVELS),
});

/** Who was a member, in which role. Roles that a directory gives are its own to give again. */
export function readMembers(of: (section: string) => readonly BackupRow[]): Restorable<RestorableMember>[] {
  return of('memberships').flatMap((row) => {
    const { user_id: from, username: name, role, given_by: realm } = check(membershipRow, row);
    return name === null || realm !== null ? [] : [{ from, body: { username: name, role } }];
  });
}

/** Groups with the names of their members, and permissions with the names of whom they were given to. */
export function readPeople(of: (section: string) => readonly BackupRow[]): People {
  const members = Map.groupBy(
    of('group_members').map((row) => check(memberRow, row)),
    (row) => row.group_id,
  );
  const groups = of('groups').map((row) => {
    const { id: from, name, description } = check(groupRow, row);
    const names = (members.get(from) ?? []).flatMap((member) => member.username ?? []);
    return { from, body: { name, description, members: names.toSorted() } };
  });
  const nameOf = new Map(groups.map(({ from, body }) => [from, body.name]));
  const permissions = of('permissions').flatMap((row) => {
    const one = check(permissionRow, row);
    const { id: from, resource_kind: kind, resource_id: resource, group_id: group, level } = one;
    const name = group === null ? one.username : nameOf.get(group);
    if (name === null || name === undefined) return [];
    const subject = { kind: group === null ? ('user' as const) : ('group' as const), name };
    return [{ from, body: { kind, resource, subject, level } }];
  });
  return { groups, permissions };
}

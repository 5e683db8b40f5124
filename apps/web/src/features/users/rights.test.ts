import type { Role } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { rolesToGive, whyNoAccount } from './rights.ts';

function person(id: string, roles: Readonly<Record<string, Role>>, isOwner = false) {
  const memberships = Object.entries(roles).map(([project, role]) => ({ project, project_name: project, role }));
  return { id, is_owner: isOwner, memberships };
}

function account(target: ReturnType<typeof person>, administrable: boolean, home: string | null = 'edge') {
  return { ...target, administrable, home_project: home };
}

const root = person('root', { edge: 'owner', lab: 'owner' }, true);
const admin = person('admin', { edge: 'admin' });
const editor = person('editor', { edge: 'editor' });

it('lets owners of the installation change every account', () => {
  expect(whyNoAccount(root, account(admin, true))).toBeUndefined();
  expect(whyNoAccount(root, account(person('other', {}, true), true))).toBeUndefined();
});

it('lets an admin change accounts of equal or lower role', () => {
  expect(whyNoAccount(admin, account(editor, true))).toBeUndefined();
  expect(whyNoAccount(admin, account(person('peer', { edge: 'admin' }), true))).toBeUndefined();
});

it('says why an account is out of reach', () => {
  expect(whyNoAccount(admin, account(root, false))).toMatch(/owners of the installation/);
  expect(whyNoAccount(admin, account(person('boss', { edge: 'owner' }), false))).toMatch(/role owner in edge/);
  expect(whyNoAccount(admin, account(person('foreign', { edge: 'owner' }), false, null))).toMatch(
    /does not belong to this project/,
  );
  expect(whyNoAccount(admin, account(editor, false, null))).toMatch(/does not belong to this project/);
});

it('gives no role above the own one', () => {
  expect(rolesToGive(admin, editor, 'edge')).toEqual(['admin', 'editor', 'viewer']);
  expect(rolesToGive(root, editor, 'edge')).toEqual(['owner', 'admin', 'editor', 'viewer']);
});

it('touches no membership above the own role, of an owner of the installation, or in a project without authority', () => {
  expect(rolesToGive(admin, person('boss', { edge: 'owner' }), 'edge')).toEqual([]);
  expect(rolesToGive(admin, person('owner', { edge: 'viewer' }, true), 'edge')).toEqual([]);
  expect(rolesToGive(admin, editor, 'lab')).toEqual([]);
  expect(rolesToGive(editor, person('viewer', { edge: 'viewer' }), 'edge')).toEqual([]);
});

it('gives a role to somebody who has none in the project yet', () => {
  expect(rolesToGive(root, editor, 'lab')).toContain('viewer');
});

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

it('owners of the installation may change every account', () => {
  expect(whyNoAccount(root, account(admin, true))).toBeUndefined();
  expect(whyNoAccount(root, account(person('other', {}, true), true))).toBeUndefined();
});

it('an admin may change accounts with an equal or lower role', () => {
  expect(whyNoAccount(admin, account(editor, true))).toBeUndefined();
  expect(whyNoAccount(admin, account(person('peer', { edge: 'admin' }), true))).toBeUndefined();
});

it('the reason why the viewer may not change an account is given', () => {
  expect(whyNoAccount(admin, account(root, false))).toMatch(/owners of the installation/);
  expect(whyNoAccount(admin, account(person('boss', { edge: 'owner' }), false))).toMatch(/role owner in edge/);
  expect(whyNoAccount(admin, account(person('foreign', { edge: 'owner' }), false, null))).toMatch(
    /does not belong to this project/,
  );
  expect(whyNoAccount(admin, account(editor, false, null))).toMatch(/does not belong to this project/);
});

it("no role above the viewer's own can be given", () => {
  expect(rolesToGive(admin, editor, 'edge')).toEqual(['admin', 'editor', 'viewer']);
  expect(rolesToGive(root, editor, 'edge')).toEqual(['owner', 'admin', 'editor', 'viewer']);
});

it("no membership can be changed above the viewer's role, of an owner of the installation, or in a project where the viewer is no admin", () => {
  expect(rolesToGive(admin, person('boss', { edge: 'owner' }), 'edge')).toEqual([]);
  expect(rolesToGive(admin, person('owner', { edge: 'viewer' }, true), 'edge')).toEqual([]);
  expect(rolesToGive(admin, editor, 'lab')).toEqual([]);
  expect(rolesToGive(editor, person('viewer', { edge: 'viewer' }), 'edge')).toEqual([]);
});

it('a user without a membership in the project can be given a role', () => {
  expect(rolesToGive(root, editor, 'lab')).toContain('viewer');
});

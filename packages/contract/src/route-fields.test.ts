import { expect, it } from 'vitest';
import { userRoutes } from './features/users.ts';
import { ROLES } from './roles.ts';
import { describeFields } from './route-fields.ts';

it('a repeatable query parameter is a list of the values that it takes', () => {
  const fields = describeFields(userRoutes.list.query);
  expect(fields.get('role')).toEqual({ isRequired: false, isList: true, isNullable: false, values: ROLES });
  expect(fields.get('realm')).toMatchObject({ isList: true, values: undefined });
  expect(fields.get('q')).toMatchObject({ isList: false });
});

it('a body describes which of its members are required and which may be null', () => {
  expect(describeFields(userRoutes.addMember.body).get('username')).toMatchObject({ isRequired: true });
  expect(describeFields(userRoutes.patch.body).get('email')).toMatchObject({ isRequired: false, isNullable: true });
});

it('a route without a body has no fields', () => {
  expect(describeFields(userRoutes.get.body).size).toBe(0);
});

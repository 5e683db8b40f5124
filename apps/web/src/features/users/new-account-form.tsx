import type { CallOutput, Role, userRoutes } from '@flotilla/contract';
import { Checkbox, Radio, Stack, TextInput } from '@mantine/core';
import { NameField, NewPassword, RoleSelect, rolesWithin } from '../../accounts/index.ts';
import { routes } from '../../api/index.ts';
import { useProject, useUser } from '../../app/project.tsx';
import { ApiFormBody, useApiForm, useWrite } from '../../ui/index.ts';
import { texts } from './texts.tsx';

const words = texts.newAccountForm;

export type CreatedUser = CallOutput<typeof userRoutes.create>;

const INITIAL = {
  username: '',
  email: '',
  isMember: true,
  role: 'viewer' as Role,
  isOwner: false,
  secret: 'made',
  password: '',
};

function useNewAccountForm(onCreated: (user: CreatedUser) => void) {
  const project = useProject();
  const me = useUser();
  const write = useWrite();
  return useApiForm({
    route: routes.user.create,
    initial: INITIAL,
    refusals: { 'record.exists': { username: words.usernameTaken } },
    send: async ({ username, email, isMember, role, isOwner, secret, password }) => {
      const body = {
        username,
        ...(email.trim() && { email: email.trim() }),
        ...(isOwner && { is_owner: true }),
        ...(secret === 'typed' && { password }),
        memberships: isMember ? [{ project: project.id, role }] : [],
      };
      const input = { query: me.is_owner ? {} : { project: project.id }, body };
      onCreated((await write(routes.user.create, input, { stale: [routes.user.list, routes.project.list] })).body);
    },
  });
}

/** Creates an account. Admins create accounts for their project; owners of the installation also without one, and other owners. */
export function NewAccountForm({ onCreated }: { onCreated: (user: CreatedUser) => void }) {
  const project = useProject();
  const me = useUser();
  const form = useNewAccountForm(onCreated);
  const { username, isMember, role, secret } = form.values;
  return (
    <ApiFormBody form={form} action={words.create} failed={words.failed}>
      <NameField label={words.username} {...form.field('username')} isFirst />
      <TextInput label={words.email} type="email" autoComplete="off" {...form.field('email')} />
      {me.is_owner && <Checkbox label={words.memberOf(project.name)} {...form.field('isMember', 'checkbox')} />}
      {isMember && (
        <RoleSelect
          label={words.roleIn(project.name)}
          roles={rolesWithin(project.role)}
          value={role}
          onChange={(next) => form.set('role', next)}
        />
      )}
      {me.is_owner && (
        <Checkbox label={words.owner} description={words.ownerHint} {...form.field('isOwner', 'checkbox')} />
      )}
      <Radio.Group label={words.password} {...form.field('secret')}>
        <Stack gap={6} mt={6}>
          <Radio size="xs" value="made" label={words.generatedPassword} />
          <Radio size="xs" value="typed" label={words.typedPassword} />
        </Stack>
      </Radio.Group>
      {secret === 'typed' && <NewPassword label={words.newPassword} username={username} {...form.field('password')} />}
    </ApiFormBody>
  );
}

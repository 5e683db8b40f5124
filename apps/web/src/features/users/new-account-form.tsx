import type { CallOutput, Role, userRoutes } from '@flotilla/contract';
import { Button, Checkbox, Radio, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { explainName, judgeName, NameField, NewPassword, RoleSelect, rolesWithin } from '../../accounts/index.ts';
import { ApiError, call, fieldError, invalidate, routes } from '../../api/index.ts';
import { useProject, useUser } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { Problem, useSending } from '../../ui/index.ts';

const words = texts.users.newAccountForm;

export type CreatedUser = CallOutput<typeof userRoutes.create>;

/** Admins create accounts for their project; owners of the installation also without one, and other owners. */
export function NewAccountForm({ onCreated }: { onCreated: (user: CreatedUser) => void }) {
  const project = useProject();
  const me = useUser();
  const queryClient = useQueryClient();
  const sending = useSending();
  const [username, setUsername] = useState('');
  const [email, setEmail] = useState('');
  const [isMember, setMember] = useState(true);
  const [role, setRole] = useState<Role>('viewer');
  const [isOwner, setOwner] = useState(false);
  const [isMade, setMade] = useState(true);
  const [password, setPassword] = useState('');
  const { error } = sending;
  const isTaken = error instanceof ApiError && error.code === 'record.exists';
  const isAtField = isTaken || ['username', 'email', 'password'].some((field) => fieldError(error, field));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await sending.send(async () => {
      const { body } = await call(routes.user.create, {
        query: me.is_owner ? {} : { project: project.id },
        body: {
          username,
          ...(email.trim() && { email: email.trim() }),
          ...(isOwner && { is_owner: true }),
          ...(!isMade && { password }),
          memberships: isMember ? [{ project: project.id, role }] : [],
        },
      });
      onCreated(body);
      void invalidate(queryClient, routes.user.list, routes.project.list);
    });
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <NameField
          label={words.username}
          value={username}
          error={explainName(username, error, { taken: words.usernameTaken, field: 'username' })}
          onChange={(name) => {
            sending.clear();
            setUsername(name);
          }}
          isFirst
        />
        <TextInput
          label={words.email}
          type="email"
          autoComplete="off"
          maxLength={254}
          value={email}
          error={fieldError(error, 'email')}
          onChange={(event) => {
            sending.clear();
            setEmail(event.currentTarget.value);
          }}
        />
        {me.is_owner && (
          <Checkbox
            label={words.memberOf(project.name)}
            checked={isMember}
            onChange={(event) => setMember(event.currentTarget.checked)}
          />
        )}
        {isMember && (
          <RoleSelect
            label={words.roleIn(project.name)}
            roles={rolesWithin(project.role)}
            value={role}
            onChange={setRole}
          />
        )}
        {me.is_owner && (
          <Checkbox
            label={words.owner}
            description={words.ownerHint}
            checked={isOwner}
            onChange={(event) => setOwner(event.currentTarget.checked)}
          />
        )}
        <Radio.Group
          label={words.password}
          value={isMade ? 'made' : 'typed'}
          onChange={(choice) => setMade(choice === 'made')}
        >
          <Stack gap={6} mt={6}>
            <Radio size="xs" value="made" label={words.generatedPassword} />
            <Radio size="xs" value="typed" label={words.typedPassword} />
          </Stack>
        </Radio.Group>
        {!isMade && (
          <NewPassword
            label={words.newPassword}
            username={username}
            value={password}
            onChange={(text) => {
              sending.clear();
              setPassword(text);
            }}
            error={fieldError(error, 'password')}
          />
        )}
        {error !== undefined && !isAtField && <Problem error={error} what={words.failed} />}
        <div>
          <Button
            type="submit"
            loading={sending.isBusy}
            disabled={username === '' || judgeName(username) !== undefined}
          >
            {words.create}
          </Button>
        </div>
      </Stack>
    </form>
  );
}

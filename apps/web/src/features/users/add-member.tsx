import type { Role } from '@flotilla/contract';
import { Autocomplete, Button, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { judgeName, RoleSelect, rolesWithin } from '../../accounts/index.ts';
import { ApiError, call, invalidate, loadSession, routes, useApi } from '../../api/index.ts';
import { useProject, useUser } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { Notice, Problem, sayDone, useSending } from '../../ui/index.ts';

const words = texts.users.addMember;

const SUGGESTED_MAX = 20;
const TYPING_MS = 200;

/** Adds an existing account to the open project, or invites it: the controller decides. */
export function AddMember({ onNewAccount }: { onNewAccount: () => void }) {
  const project = useProject();
  const me = useUser();
  const url = useUrlState();
  const queryClient = useQueryClient();
  const sending = useSending();
  const [username, setUsername] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const suggestions = useSuggestions(username, me.is_owner);
  const isUnknown = sending.error instanceof ApiError && sending.error.status === 404;
  const isMember = sending.error instanceof ApiError && sending.error.code === 'record.exists';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const isSent = await sending.send(async () => {
      const answer = await call(routes.user.addMember, { query: { project: project.id }, body: { username, role } });
      sayDone(answer.body.kind === 'member' ? words.done(username, role) : words.invited(username, role));
    });
    if (!isSent) return;
    url.set({ add: undefined });
    await invalidate(queryClient, routes.user.list, routes.user.get, routes.project.list, routes.invitation.list);
    if (username.toLowerCase() === me.username.toLowerCase()) await loadSession();
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <Autocomplete
          label={words.username}
          description={me.is_owner ? words.usernameHint(project.name) : words.inviteHint}
          size="sm"
          required
          withAsterisk={false}
          autoCapitalize="none"
          spellCheck={false}
          maxLength={128}
          openOnFocus={false}
          data={[...suggestions]}
          value={username}
          error={judgeName(username)}
          onChange={(text) => {
            sending.clear();
            setUsername(text);
          }}
          data-autofocus
        />
        <RoleSelect
          label={texts.users.newAccountForm.roleIn(project.name)}
          roles={rolesWithin(project.role)}
          value={role}
          onChange={setRole}
        />
        {isUnknown && (
          <Notice tone="warn" title={words.unknownUsername}>
            <Text mb="xs">{words.unknownUsernameHint}</Text>
            <Button variant="default" size="compact-sm" onClick={onNewAccount}>
              {words.createAccount}
            </Button>
          </Notice>
        )}
        {isMember && (
          <Notice tone="warn" title={words.alreadyMember}>
            {words.alreadyMemberText(<bdi>{username}</bdi>)}
          </Notice>
        )}
        {sending.error !== undefined && !isUnknown && !isMember && (
          <Problem error={sending.error} what={words.failed} />
        )}
        <div>
          <Button
            type="submit"
            loading={sending.isBusy}
            disabled={username === '' || judgeName(username) !== undefined}
          >
            {me.is_owner ? words.add : words.invite}
          </Button>
        </div>
      </Stack>
    </form>
  );
}

/** Only owners of the installation may list other accounts. */
function useSuggestions(text: string, isAllowed: boolean): readonly string[] {
  const [q] = useDebouncedValue(text.trim(), TYPING_MS);
  const found = useApi(
    routes.user.list,
    { query: { limit: SUGGESTED_MAX, ...(q && { q }) } },
    { enabled: isAllowed, keepPrevious: true },
  );
  return found.data?.body.items.map(({ username }) => username) ?? [];
}

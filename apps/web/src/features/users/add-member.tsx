import type { Role } from '@flotilla/contract';
import { Autocomplete, Button, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { RoleSelect, rolesWithin } from '../../accounts/index.ts';
import { ApiError, loadSession, routes, useApi } from '../../api/index.ts';
import { useProject, useUser } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { ApiFormBody, Notice, useApiForm, useWrite } from '../../ui/index.ts';
import { texts } from './texts.tsx';

const words = texts.addMember;

const SUGGESTED_MAX = 20;
const TYPING_MS = 200;

/** Adds an existing account to the open project, or invites it: the controller decides which. */
export function AddMember({ onNewAccount }: { onNewAccount: () => void }) {
  const project = useProject();
  const me = useUser();
  const url = useUrlState();
  const write = useWrite();
  const form = useApiForm({
    route: routes.user.addMember,
    initial: { username: '', role: 'viewer' as Role },
    send: async (body) => {
      await write(
        routes.user.addMember,
        { query: { project: project.id }, body },
        {
          done: ({ kind }) => (kind === 'member' ? words.done : words.invited)(body.username, body.role),
          stale: [routes.user.list, routes.user.get, routes.project.list, routes.invitation.list],
        },
      );
      url.set({ add: undefined });
      if (body.username.toLowerCase() === me.username.toLowerCase()) await loadSession();
    },
  });
  const { username, role } = form.values;
  const suggestions = useSuggestions(username, me.is_owner);
  return (
    <ApiFormBody
      form={form}
      action={me.is_owner ? words.add : words.invite}
      failed={words.failed}
      explain={(error) => explainRefusal(error, username, onNewAccount)}
    >
      <Autocomplete
        label={words.username}
        description={me.is_owner ? words.usernameHint(project.name) : words.inviteHint}
        size="sm"
        required
        withAsterisk={false}
        autoCapitalize="none"
        spellCheck={false}
        openOnFocus={false}
        data={[...suggestions]}
        {...form.field('username')}
        data-autofocus
      />
      <RoleSelect
        label={texts.newAccountForm.roleIn(project.name)}
        roles={rolesWithin(project.role)}
        value={role}
        onChange={(next) => form.set('role', next)}
      />
    </ApiFormBody>
  );
}

function explainRefusal(error: unknown, username: string, onNewAccount: () => void) {
  if (!(error instanceof ApiError)) return undefined;
  if (error.status === 404)
    return (
      <Notice tone="warn" title={words.unknownUsername}>
        <Text mb="xs">{words.unknownUsernameHint}</Text>
        <Button variant="default" size="compact-sm" onClick={onNewAccount}>
          {words.createAccount}
        </Button>
      </Notice>
    );
  if (error.code !== 'record.exists') return undefined;
  return (
    <Notice tone="warn" title={words.alreadyMember}>
      {words.alreadyMemberText(<bdi>{username}</bdi>)}
    </Notice>
  );
}

/** Loads accounts that match the text. Only owners of the installation may list other accounts. */
function useSuggestions(text: string, isAllowed: boolean): readonly string[] {
  const [q] = useDebouncedValue(text.trim(), TYPING_MS);
  const found = useApi(
    routes.user.list,
    { query: { limit: SUGGESTED_MAX, ...(q && { q }) } },
    { enabled: isAllowed, keepPrevious: true },
  );
  return found.data?.body.items.map(({ username }) => username) ?? [];
}

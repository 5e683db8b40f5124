import { Checkbox, TextInput } from '@mantine/core';
import { NameField } from '../../accounts/index.ts';
import { loadSession, routes } from '../../api/index.ts';
import { useUser } from '../../app/project.tsx';
import { EditFormBody, sayDone, useEditForm } from '../../ui/index.ts';
import { type UserChangeProps, useChangeUser } from './change-user.ts';
import { texts } from './texts.tsx';

const text = texts.accountForm;

const LABELS = { username: text.labels.username, email: 'E-mail', is_owner: text.labels.isOwner } as const;

/** Edits name, address and, for owners of the installation, the owner flag. */
export function AccountForm(change: UserChangeProps) {
  const { username, email, is_owner, realm, id } = change.user;
  const me = useUser();
  const { patch } = useChangeUser(change);
  const isElsewhere = realm !== 'local';
  const form = useEditForm({
    route: routes.user.patch,
    stored: { username, email, is_owner },
    refusals: { 'record.exists': { username: texts.newAccountForm.usernameTaken } },
    send: async (changes) => {
      await patch(changes);
      if (id === me.id) await loadSession();
      sayDone(text.form.done);
    },
  });
  return (
    <EditFormBody form={form} labels={LABELS} failed={text.form.failed} canDiscard>
      <NameField
        label={LABELS.username}
        value={form.values.username}
        disabled={isElsewhere}
        description={isElsewhere ? texts.elsewhere : ''}
        error={form.errorOf('username')}
        onChange={(name) => form.set('username', name)}
      />
      <TextInput
        label={LABELS.email}
        type="email"
        autoComplete="off"
        value={form.values.email ?? ''}
        disabled={isElsewhere}
        error={form.errorOf('email')}
        onChange={(event) => form.set('email', event.currentTarget.value || null)}
      />
      {me.is_owner && id !== me.id && (
        <Checkbox
          label={LABELS.is_owner}
          description={texts.newAccountForm.ownerHint}
          checked={form.values.is_owner}
          onChange={(event) => form.set('is_owner', event.currentTarget.checked)}
        />
      )}
    </EditFormBody>
  );
}

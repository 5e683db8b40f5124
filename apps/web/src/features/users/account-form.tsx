import { Button, Checkbox, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { explainName, judgeName, NameField } from '../../accounts/index.ts';
import { ApiError, fieldError, loadSession } from '../../api/index.ts';
import { useUser } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { FieldClashes, Notice, Problem, sayDone, useFieldEdits, useSending } from '../../ui/index.ts';
import { type UserChangeProps, useChangeUser } from './change-user.ts';
import classes from './users.module.css';

const text = texts.users.accountForm;

const LABELS = { username: text.labels.username, email: 'E-mail', is_owner: text.labels.isOwner } as const;

/** Name, address and, for owners of the installation, the owner flag. */
export function AccountForm(change: UserChangeProps) {
  const { user } = change;
  const me = useUser();
  const { patch } = useChangeUser(change);
  const sending = useSending();
  const isElsewhere = user.realm !== 'local';
  const { username, email, is_owner } = user;
  const edits = useFieldEdits({ username, email, is_owner });
  const { values } = edits;
  const set: typeof edits.set = (field, value) => {
    sending.clear();
    edits.set(field, value);
  };
  const { error } = sending;
  const isStale = error instanceof ApiError && error.status === 412;
  const isTaken = error instanceof ApiError && error.code === 'record.exists';
  const isAtField = isTaken || ['username', 'email'].some((field) => fieldError(error, field));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const isSaved = await sending.send(async () => {
      await patch(edits.changes);
      if (user.id === me.id) await loadSession();
    });
    if (!isSaved) return;
    edits.reset();
    sayDone(text.form.done);
  };
  return (
    <form className={classes.form} onSubmit={(event) => void submit(event)}>
      <NameField
        label={LABELS.username}
        value={values.username}
        disabled={isElsewhere}
        description={isElsewhere ? texts.users.elsewhere : ''}
        error={explainName(values.username, error, {
          taken: texts.users.newAccountForm.usernameTaken,
          field: 'username',
        })}
        onChange={(name) => set('username', name)}
      />
      <TextInput
        label={LABELS.email}
        type="email"
        autoComplete="off"
        maxLength={254}
        value={values.email ?? ''}
        disabled={isElsewhere}
        error={fieldError(error, 'email')}
        onChange={(event) => set('email', event.currentTarget.value || null)}
      />
      {me.is_owner && user.id !== me.id && (
        <Checkbox
          label={LABELS.is_owner}
          description={texts.users.newAccountForm.ownerHint}
          checked={values.is_owner}
          onChange={(event) => set('is_owner', event.currentTarget.checked)}
        />
      )}
      <FieldClashes
        clashes={edits.clashes}
        labels={LABELS}
        onTakeTheirs={edits.takeTheirs}
        onKeepMine={() => {
          sending.clear();
          edits.keepMine();
        }}
      />
      {isStale && edits.clashes.length === 0 && (
        <Notice tone="warn" title={text.form.changedMeanwhile}>
          {text.form.changedMeanwhileText}
        </Notice>
      )}
      {error !== undefined && !isStale && !isAtField && <Problem error={error} what={text.form.failed} />}
      <div className={classes.foot}>
        <Button
          type="submit"
          loading={sending.isBusy}
          disabled={!edits.isChanged || edits.clashes.length > 0 || judgeName(values.username) !== undefined}
        >
          {text.form.save}
        </Button>
        {edits.isChanged && (
          <Button
            variant="default"
            onClick={() => {
              edits.reset();
              sending.clear();
            }}
          >
            {text.form.discard}
          </Button>
        )}
      </div>
    </form>
  );
}

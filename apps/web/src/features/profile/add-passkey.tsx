import { isElsewhere, isKnownHere, makePasskey, wasCancelled } from '../../accounts/index.ts';
import { routes } from '../../api/index.ts';
import { passkeysTexts, signInTexts } from '../../shell/sign-in-texts.ts';
import { ApiFormBody, FormDialog, Notice, Problem, useApiForm, useWrite } from '../../ui/index.ts';
import { PasskeyName } from './passkey-name.tsx';
import { CurrentPassword, WRONG_PASSWORD } from './password-form.tsx';

const text = passkeysTexts;

interface AddPasskeyProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Asks for a name and the password before the browser shows its dialog. */
export function AddPasskey({ opened, onClose }: AddPasskeyProps) {
  return (
    <FormDialog of={opened ? 'new' : undefined} title={() => text.add} onClose={onClose}>
      {() => <AddForm onDone={onClose} />}
    </FormDialog>
  );
}

const STALE = [routes.passkey.list, routes.profile.listSessions, routes.secondFactor.status];

function AddForm({ onDone }: { onDone: () => void }) {
  const write = useWrite();
  const form = useApiForm({
    route: routes.passkey.add,
    initial: { name: '', current_password: '' },
    refusals: WRONG_PASSWORD,
    send: async ({ name, current_password: password }) => {
      const passkey = await makePasskey(password);
      await write(routes.passkey.add, { body: { name, passkey } }, { done: text.added, stale: STALE });
      onDone();
    },
  });
  const { name, current_password: password } = form.values;
  return (
    <ApiFormBody
      form={form}
      action={text.next}
      failed={text.notAdded}
      explain={(error) => <NotMade error={error} />}
      isReady={name.trim() !== '' && password !== ''}
    >
      <p style={{ margin: 0 }}>{text.addLead}</p>
      <PasskeyName {...form.field('name')} />
      <CurrentPassword {...form.field('current_password')} />
    </ApiFormBody>
  );
}

function NotMade({ error }: { error: unknown }) {
  if (wasCancelled(error)) return <Notice tone="warn" title={text.cancelled} />;
  if (isKnownHere(error)) return <Notice tone="warn" title={text.known} />;
  if (isElsewhere(error)) return <Notice tone="warn" title={signInTexts.passkeyElsewhere} />;
  return <Problem error={error} what={text.notAdded} />;
}

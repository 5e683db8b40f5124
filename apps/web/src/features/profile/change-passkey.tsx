import type { CallOutput, passkeyRoutes } from '@flotilla/contract';
import { routes } from '../../api/index.ts';
import { passkeysTexts } from '../../shell/sign-in-texts.ts';
import { ApiFormBody, FormDialog, useApiForm, useWrite } from '../../ui/index.ts';
import { PasskeyName } from './passkey-name.tsx';
import { CurrentPassword, WRONG_PASSWORD } from './password-form.tsx';

const text = passkeysTexts;

export type Passkey = CallOutput<typeof passkeyRoutes.list>['items'][number];

interface ChangeProps {
  /** Undefined closes the dialog. */
  readonly passkey: Passkey | undefined;
  readonly onClose: () => void;
}

interface ChangeFormProps {
  readonly passkey: Passkey;
  readonly onDone: () => void;
}

export function RenamePasskey({ passkey, onClose }: ChangeProps) {
  return (
    <FormDialog of={passkey} title={({ name }) => text.renameOf(name)} onClose={onClose}>
      {(one) => <RenameForm key={one.id} passkey={one} onDone={onClose} />}
    </FormDialog>
  );
}

function RenameForm({ passkey, onDone }: ChangeFormProps) {
  const write = useWrite();
  const form = useApiForm({
    route: routes.passkey.rename,
    initial: { name: passkey.name },
    send: async (body) => {
      const input = { params: { passkey_id: passkey.id }, body };
      await write(routes.passkey.rename, input, { stale: [routes.passkey.list] });
      onDone();
    },
  });
  return (
    <ApiFormBody form={form} action={text.save} failed={text.notRenamed} isReady={form.values.name.trim() !== ''}>
      <PasskeyName {...form.field('name')} />
    </ApiFormBody>
  );
}

export function RemovePasskey({ passkey, onClose }: ChangeProps) {
  return (
    <FormDialog of={passkey} title={() => text.removeTitle} onClose={onClose}>
      {(one) => <RemoveForm key={one.id} passkey={one} onDone={onClose} />}
    </FormDialog>
  );
}

function RemoveForm({ passkey, onDone }: ChangeFormProps) {
  const write = useWrite();
  const form = useApiForm({
    route: routes.passkey.remove,
    initial: { current_password: '' },
    refusals: WRONG_PASSWORD,
    send: async ({ current_password: password }) => {
      const input = { params: { passkey_id: passkey.id }, body: { password } };
      await write(routes.passkey.remove, input, { done: text.removed, stale: [routes.passkey.list] });
      onDone();
    },
  });
  return (
    <ApiFormBody
      form={form}
      action={text.remove}
      failed={text.notRemoved}
      isDangerous
      isReady={form.values.current_password !== ''}
    >
      <p style={{ margin: 0 }}>{text.removeText(passkey.name)}</p>
      <CurrentPassword {...form.field('current_password')} />
    </ApiFormBody>
  );
}

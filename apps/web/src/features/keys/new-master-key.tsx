import type { KeysView } from '@flotilla/contract';
import { PasswordInput, Select } from '@mantine/core';
import { routes } from '../../api/index.ts';
import { useUrlState } from '../../app/url-state.ts';
import { ApiFormBody, FormDialog, useApiForm, useWrite } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { texts } from './texts.ts';

const text = texts.master.rotate;
const OVERLAPS = texts.master.overlaps;
const OVERLAP_DEFAULT = '3600';

type From = KeysView['master_from'];

export function NewMasterKey({ from }: { from: From }) {
  const url = useUrlState();
  const close = () => url.set({ rotate: undefined });
  return (
    <FormDialog of={url.get('rotate') === 'master' ? from : undefined} title={() => text.title} onClose={close}>
      {() => <MasterKeyForm from={from} onDone={close} />}
    </FormDialog>
  );
}

/** Only this component holds the typed key. */
function MasterKeyForm({ from, onDone }: { from: From; onDone: () => void }) {
  const write = useWrite();
  const isTyped = from === 'environment';
  const form = useApiForm({
    route: routes.key.rotate,
    initial: { master_key: '', overlap: OVERLAP_DEFAULT },
    send: async ({ master_key: key, overlap }) => {
      const body = { which: 'master', overlap_s: Number(overlap), ...(isTyped && { master_key: key }) } as const;
      await write(routes.key.rotate, { query: {}, body }, { done: text.done, stale: [routes.key.list] });
      onDone();
    },
  });
  return (
    <ApiFormBody
      form={form}
      action={text.submit}
      failed={text.failed}
      isReady={!isTyped || form.values.master_key !== ''}
    >
      <p className={layout.note}>{text[from]}</p>
      {isTyped && (
        <PasswordInput
          label={text.key}
          description={text.keyHint}
          autoComplete="off"
          {...form.field('master_key')}
          data-autofocus
        />
      )}
      <Select
        label={text.overlap}
        description={text.overlapHint}
        data={[...OVERLAPS]}
        allowDeselect={false}
        {...form.field('overlap')}
      />
    </ApiFormBody>
  );
}

import type { KeysView } from '@flotilla/contract';
import { Button, Modal, PasswordInput, Select, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call, fieldError, invalidate, routes } from '../../api/index.ts';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { Problem, sayDone, useSending } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';

const text = texts.keys.master.rotate;
const OVERLAPS = texts.keys.master.overlaps;
const OVERLAP_DEFAULT = '3600';

type From = KeysView['master_from'];

export function NewMasterKey({ from }: { from: From }) {
  const url = useUrlState();
  const close = () => url.set({ rotate: undefined });
  return (
    <Modal opened={url.get('rotate') === 'master'} onClose={close} title={text.title}>
      <MasterKeyForm from={from} onDone={close} />
    </Modal>
  );
}

/** Only this component holds the typed key. */
function MasterKeyForm({ from, onDone }: { from: From; onDone: () => void }) {
  const queryClient = useQueryClient();
  const sending = useSending();
  const [key, setKey] = useState('');
  const [overlap, setOverlap] = useState(OVERLAP_DEFAULT);
  const isTyped = from === 'environment';
  const { error } = sending;
  const keyError = fieldError(error, 'master_key');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const body = { which: 'master', overlap_s: Number(overlap), ...(isTyped && { master_key: key }) } as const;
    if (!(await sending.send(() => call(routes.key.rotate, { query: {}, body })))) return;
    sayDone(text.done);
    onDone();
    await invalidate(queryClient, routes.key.list);
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <p className={layout.note}>{text[from]}</p>
        {isTyped && (
          <PasswordInput
            label={text.key}
            description={text.keyHint}
            autoComplete="off"
            value={key}
            error={keyError}
            onChange={(event) => {
              sending.clear();
              setKey(event.currentTarget.value);
            }}
            data-autofocus
          />
        )}
        <Select
          label={text.overlap}
          description={text.overlapHint}
          data={[...OVERLAPS]}
          allowDeselect={false}
          value={overlap}
          onChange={(value) => setOverlap(value ?? OVERLAP_DEFAULT)}
        />
        {error !== undefined && keyError === undefined && <Problem error={error} what={text.failed} />}
        <div>
          <Button type="submit" loading={sending.isBusy} disabled={isTyped && key === ''}>
            {text.submit}
          </Button>
        </div>
      </Stack>
    </form>
  );
}

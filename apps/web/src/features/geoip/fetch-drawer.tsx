import type { GeoipKind } from '@flotilla/contract';
import { Button, Drawer, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call, invalidate, routes } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { Problem, sayDone, useKept, useSending } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { isSource, readDigest } from './fetched.ts';

const { fetch: text, kinds, upload } = texts.geoip;

/** `?fetch=<kind>`. The address may carry a key: it is in this component and nowhere else. */
export function FetchDrawer() {
  const url = useUrlState();
  const can = useCan();
  const asked = url.get('fetch');
  const kind = isKind(asked) && can(routes.geoip.download) ? asked : undefined;
  const shown = useKept(kind);
  const close = () => url.set({ fetch: undefined });
  return (
    <Drawer opened={kind !== undefined} onClose={close} title={shown && text.title(kinds[shown][0])}>
      {shown && <FetchForm key={shown} kind={shown} onDone={close} />}
    </Drawer>
  );
}

function isKind(text: string | undefined): text is GeoipKind {
  return text !== undefined && Object.hasOwn(kinds, text);
}

function FetchForm({ kind, onDone }: { kind: GeoipKind; onDone: () => void }) {
  const queryClient = useQueryClient();
  const sending = useSending();
  const [address, setAddress] = useState('');
  const [typed, setTyped] = useState('');
  const sha256 = readDigest(typed);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (sha256 === undefined) return;
    await sending.send(async () => {
      await call(routes.geoip.download, { query: {}, body: { kind, url: address, sha256 } });
      sayDone(upload.done(kinds[kind][0]));
      onDone();
      await invalidate(queryClient, routes.geoip.list);
    });
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <p className={layout.note}>{text.text}</p>
        <TextInput
          label={text.url}
          description={text.urlHint}
          autoComplete="off"
          spellCheck={false}
          required
          maxLength={2048}
          value={address}
          error={address !== '' && !isSource(address) ? text.urlInvalid : undefined}
          onChange={(event) => setAddress(event.currentTarget.value.trim())}
          data-autofocus
        />
        <TextInput
          label={text.digest}
          description={text.digestHint}
          autoComplete="off"
          spellCheck={false}
          required
          value={typed}
          error={typed !== '' && sha256 === undefined ? text.digestInvalid : undefined}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        {sending.error !== undefined && <Problem error={sending.error} what={text.failed} />}
        <div>
          <Button type="submit" loading={sending.isBusy} disabled={!isSource(address) || sha256 === undefined}>
            {text.submit}
          </Button>
        </div>
      </Stack>
    </form>
  );
}

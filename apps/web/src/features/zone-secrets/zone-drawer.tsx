import type { CallOutput, ZoneSecretView, zoneSecretRoutes } from '@flotilla/contract';
import { Button, Drawer, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ChangeSecret, MadeSecret } from '../../accounts/index.ts';
import { call, invalidate, routes } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { Facts, Problem, useKept, useSending } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';

const text = texts.zoneSecrets;

type Made = CallOutput<typeof zoneSecretRoutes.create>;

/** Only this component holds the new secret. An unknown zone in the URL opens nothing. */
export function ZoneDrawer({ zones }: { zones: readonly ZoneSecretView[] }) {
  const url = useUrlState();
  const can = useCan();
  const [made, setMade] = useState<Made>();
  const changed = can(routes.zoneSecret.rotate) ? zones.find(({ zone }) => zone === url.get('change')) : undefined;
  const isAdding = url.get('add') === 'zone' && can(routes.zoneSecret.create);
  const isOpen = changed !== undefined || isAdding;
  const close = () => {
    setMade(undefined);
    url.set({ add: undefined, change: undefined });
  };
  const kept = useKept(isOpen ? (changed?.zone ?? '') : undefined);
  const shown = zones.find(({ zone }) => zone === kept);
  return (
    <Drawer opened={isOpen} onClose={close} title={titleOf(made, shown)}>
      {made && isOpen ? (
        <Shown made={made} onDone={close} />
      ) : shown ? (
        <Change of={shown} onMade={setMade} />
      ) : (
        <Add onMade={setMade} />
      )}
    </Drawer>
  );
}

function titleOf(made: Made | undefined, changed: ZoneSecretView | undefined): string {
  if (made) return text.made.title(made.zone);
  return changed ? text.rotate.title(changed.zone) : text.add.title;
}

interface MakingProps {
  readonly onMade: (made: Made) => void;
}

function Add({ onMade }: MakingProps) {
  const project = useProject();
  const queryClient = useQueryClient();
  const sending = useSending();
  const [zone, setZone] = useState('');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await sending.send(async () => {
      const { body } = await call(routes.zoneSecret.create, { query: { project: project.id }, body: { zone } });
      onMade(body);
      void invalidate(queryClient, routes.zoneSecret.list);
    });
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <p className={layout.note}>{text.add.once}</p>
        <TextInput
          label={text.add.zone}
          description={text.add.zoneHint}
          placeholder={text.add.placeholder}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
          maxLength={253}
          value={zone}
          onChange={(event) => setZone(event.currentTarget.value.trim())}
          data-autofocus
        />
        {sending.error !== undefined && <Problem error={sending.error} what={text.add.failed} />}
        <div>
          <Button type="submit" loading={sending.isBusy} disabled={zone === ''}>
            {text.add.submit}
          </Button>
        </div>
      </Stack>
    </form>
  );
}

function Change({ of: { zone, secrets }, onMade }: MakingProps & { of: ZoneSecretView }) {
  const project = useProject();
  const queryClient = useQueryClient();
  const send = async (overlap: number) => {
    const at = { params: { zone }, query: { project: project.id } };
    onMade((await call(routes.zoneSecret.rotate, { ...at, body: { overlap_s: overlap } })).body);
    void invalidate(queryClient, routes.zoneSecret.list);
  };
  return (
    <ChangeSecret endsAt={secrets[1]?.expires_at} send={send}>
      {text.rotate.text}
    </ChangeSecret>
  );
}

function Shown({ made: { key_id: keyId, secret, secrets }, onDone }: { made: Made; onDone: () => void }) {
  return (
    <Stack gap="md">
      <Facts
        facts={[
          [
            text.made.key,
            <span key="key" className="mono">
              {keyId}
            </span>,
          ],
        ]}
      />
      <MadeSecret
        secret={secret}
        what={text.made.what}
        once={text.made.once}
        oldEnds={secrets[1]?.expires_at}
        onDone={onDone}
      />
    </Stack>
  );
}

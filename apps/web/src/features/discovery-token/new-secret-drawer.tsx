import type { CallOutput, discoveryTokenRoutes } from '@flotilla/contract';
import { Button, Drawer, Select, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call, invalidate, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { Notice, Problem, ShownOnce, Time, useSending } from '../../ui/index.ts';

const text = texts.discoveryToken.rotate;
const { overlaps } = texts.tokens;
const OVERLAP_DEFAULT = '86400';

type Made = CallOutput<typeof discoveryTokenRoutes.generate>;

interface NewSecretProps {
  readonly isFirst: boolean;
  /** When the secret of before the last change ends: until then two hold, and no third may. */
  readonly endsAt: string | undefined;
}

/** The new secret is in this component and nowhere else. */
export function NewSecretDrawer({ isFirst, endsAt }: NewSecretProps) {
  const url = useUrlState();
  const [made, setMade] = useState<Made>();
  const close = () => {
    setMade(undefined);
    url.set({ change: undefined });
  };
  // It is not the first one any more as soon as it is made.
  const title = made ? text.newTitle : isFirst ? text.firstTitle : text.title;
  return (
    <Drawer opened={url.get('change') === 'secret'} onClose={close} title={title}>
      {made ? <Shown made={made} onDone={close} /> : <NewSecret isFirst={isFirst} endsAt={endsAt} onMade={setMade} />}
    </Drawer>
  );
}

function NewSecret({ isFirst, endsAt, onMade }: NewSecretProps & { onMade: (made: Made) => void }) {
  const project = useProject();
  const queryClient = useQueryClient();
  const sending = useSending();
  const [overlap, setOverlap] = useState(OVERLAP_DEFAULT);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await sending.send(async () => {
      const { body } = await call(routes.discoveryToken.generate, {
        query: { project: project.id },
        body: { overlap_s: isFirst ? 0 : Number(overlap) },
      });
      onMade(body);
      void invalidate(queryClient, routes.discoveryToken.get);
    });
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <p style={{ margin: 0 }}>{isFirst ? text.first : text.text}</p>
        {endsAt !== undefined && (
          <Notice tone="quiet" title={text.twoHold}>
            {text.twoHoldText(<Time at={endsAt} />)}
          </Notice>
        )}
        {!isFirst && (
          <Select
            label={text.overlap}
            description={text.overlapHint}
            data={[...overlaps]}
            allowDeselect={false}
            value={overlap}
            onChange={(value) => setOverlap(value ?? OVERLAP_DEFAULT)}
          />
        )}
        {sending.error !== undefined && <Problem error={sending.error} what={text.failed} />}
        <div>
          <Button type="submit" loading={sending.isBusy} data-autofocus>
            {text.submit}
          </Button>
        </div>
      </Stack>
    </form>
  );
}

function Shown({ made: { token, secrets }, onDone }: { made: Made; onDone: () => void }) {
  const before = secrets[1];
  return (
    <Stack gap="md">
      <ShownOnce secret={token} what={text.what}>
        {text.once}
      </ShownOnce>
      {before?.expires_at && (
        <p role="status" style={{ margin: 0 }}>
          {text.oldEnds} <Time at={before.expires_at} />.
        </p>
      )}
      <div>
        <Button onClick={onDone}>{text.done}</Button>
      </div>
    </Stack>
  );
}

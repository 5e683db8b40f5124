import type { ApiTokenView } from '@flotilla/contract';
import { Button, Drawer, Select, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call, invalidate, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { Problem, ShownOnce, Time, useSending } from '../../ui/index.ts';
import type { CreatedToken } from './new-token-drawer.tsx';
import type { ApiToken } from './token-columns.tsx';

const words = texts.tokens.rotateToken;

const text = texts.tokens.rotate;
const { overlaps } = texts.tokens;
const OVERLAP_DEFAULT = '86400';

/** `?rotate=<id>` opens it. The new secret is in this component and nowhere else. */
export function RotateToken({ tokens }: { tokens: readonly ApiToken[] }) {
  const url = useUrlState();
  const id = url.get('rotate');
  const close = () => url.set({ rotate: undefined });
  const token = tokens.find((one) => one.id === id);
  return (
    <Drawer opened={id !== undefined} onClose={close} title={text.title} size="lg">
      {token ? <Rotation key={token.id} token={token} onDone={close} /> : <p>{text.gone}</p>}
    </Drawer>
  );
}

function Rotation({ token, onDone }: { token: ApiTokenView; onDone: () => void }) {
  const project = useProject();
  const queryClient = useQueryClient();
  const sending = useSending();
  const [overlap, setOverlap] = useState(OVERLAP_DEFAULT);
  const [rotated, setRotated] = useState<CreatedToken>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await sending.send(async () => {
      const { body } = await call(routes.apiToken.rotate, {
        params: { token_id: token.id },
        query: { project: project.id },
        body: { overlap_s: Number(overlap) },
      });
      setRotated(body);
      void invalidate(queryClient, routes.apiToken.list);
    });
  };
  if (rotated) {
    const old = rotated.secrets[1];
    return (
      <Stack gap="md">
        <ShownOnce secret={rotated.token} what={words.what}>
          {text.once}
        </ShownOnce>
        <p role="status">
          {old?.expires_at ? (
            <>
              {text.oldEnds} <Time at={old.expires_at} />.
            </>
          ) : (
            text.oldEnded
          )}
        </p>
        <div>
          <Button onClick={onDone}>{text.done}</Button>
        </div>
      </Stack>
    );
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <p style={{ margin: 0 }}>
          <bdi>{text.text(token.name)}</bdi>
        </p>
        <Select
          label={text.overlap}
          description={text.overlapHint}
          data={[...overlaps]}
          allowDeselect={false}
          value={overlap}
          onChange={(value) => setOverlap(value ?? OVERLAP_DEFAULT)}
        />
        {sending.error !== undefined && <Problem error={sending.error} what={text.failed} />}
        <div>
          <Button type="submit" loading={sending.isBusy}>
            {text.make}
          </Button>
        </div>
      </Stack>
    </form>
  );
}

import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, invalidate, routes } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { Confirm, sayDone } from '../../ui/index.ts';

const text = texts.signInBlocks.unlock;

export function UnlockAddress({ address }: { address: string }) {
  const queryClient = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  if (!useCan()(routes.signInBlock.end)) return null;
  return (
    <>
      <Button variant="default" size="compact-xs" aria-label={text.label(address)} onClick={() => setAsking(true)}>
        {text.action}
      </Button>
      <Confirm
        opened={isAsking}
        title={text.title(address)}
        action={text.action}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await call(routes.signInBlock.end, { params: { address }, query: {} });
          sayDone(text.done(address));
          await invalidate(queryClient, routes.signInBlock.list);
        }}
      >
        {text.text}
      </Confirm>
    </>
  );
}

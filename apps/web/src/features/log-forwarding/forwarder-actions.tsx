import { Button } from '@mantine/core';
import { useState } from 'react';
import { Confirm, sayDone, sayFailed } from '../../ui/index.ts';
import { texts } from './texts.ts';
import { type ForwarderCommands, subTypeOf, useForwarderChange } from './use-forwarder.ts';

const text = texts.actions;

interface ForwarderActionsProps {
  readonly clientId: string;
  readonly commands: ForwarderCommands;
}

/** Buttons that control the program of a forwarder, for admins. */
export function ForwarderActions({ clientId, commands: { type, update, member } }: ForwarderActionsProps) {
  const change = useForwarderChange(clientId, type);
  const [busy, setBusy] = useState<string>();
  const [isRemoving, setRemoving] = useState(false);
  const act = async (subType: string, label: string) => {
    setBusy(subType);
    await change(subType, { done: text.done(label) }).then(sayDone, (error: unknown) =>
      sayFailed(text.failed(label), error),
    );
    setBusy(undefined);
  };
  const actions = [
    ['SUB_START', text.start],
    ['SUB_STOP', text.stop],
    ['SUB_RESTART', text.restart],
  ] as const;
  return (
    <>
      {actions.map(([subType, label]) => (
        <Button
          key={subType}
          variant="default"
          size="compact-xs"
          loading={busy === subType}
          disabled={busy !== undefined}
          onClick={() => void act(subType, label)}
        >
          {label}
        </Button>
      ))}
      <Button variant="default" size="compact-xs" disabled={busy !== undefined} onClick={() => setRemoving(true)}>
        {text.remove}
      </Button>
      <Confirm
        opened={isRemoving}
        title={text.removeTitle}
        action={text.remove}
        isDangerous
        onConfirm={() =>
          change(subTypeOf(update), { command: { [member]: null }, done: text.done(text.remove) }).then(sayDone)
        }
        onClose={() => setRemoving(false)}
      >
        {text.removeText}
      </Confirm>
    </>
  );
}

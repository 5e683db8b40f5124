import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ServiceLink } from '../../app/links.tsx';
import { Problem } from '../../ui/index.ts';
import { texts as uiTexts } from '../../ui/texts.tsx';
import classes from './client.module.css';
import type { WholeClient } from './model.ts';
import type { TargetingService } from './targeting.ts';
import { texts } from './texts.tsx';
import { useRemoval } from './use-removal.ts';

const text = texts.removeClient;

interface RemoveClientProps {
  readonly client: WholeClient;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Permanently removes a client. If services target it, lists them and asks for the client's name. */
export function RemoveClient({ client, opened, onClose }: RemoveClientProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={text.dialog.title(<bdi>{client.name}</bdi>)} size="lg">
      <RemoveForm client={client} onClose={onClose} />
    </Modal>
  );
}

function RemoveForm({ client, onClose }: Omit<RemoveClientProps, 'opened'>) {
  const [typed, setTyped] = useState('');
  const { plan, targeting, isForced, error, isBusy, remove } = useRemoval(client);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void remove();
      }}
    >
      <Stack gap="md">
        <Text component="ul" className={classes.plainList}>
          <li>{text.form.certificatesRevoked}</li>
          <li>{text.form.recordsGone}</li>
          <li>{text.form.proxiesRunOn}</li>
          <li>{text.form.comesBack}</li>
        </Text>
        {isForced && <Targeting client={client} services={targeting} typed={typed} onType={setTyped} />}
        {plan.isError && error === undefined && <Problem error={plan.error} what={text.form.failed} />}
        {error !== undefined && <Problem error={error} what={text.form.failed} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            {uiTexts.confirm.cancel}
          </Button>
          <Button
            type="submit"
            color="red.9"
            loading={isBusy}
            disabled={plan.isPending || (isForced && typed !== client.name)}
          >
            {isForced ? text.form.removeByForce : text.form.remove}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface TargetingProps {
  readonly client: WholeClient;
  readonly services: readonly TargetingService[];
  readonly typed: string;
  readonly onType: (typed: string) => void;
}

function Targeting({ client, services, typed, onType }: TargetingProps) {
  return (
    <>
      <div role="alert">
        <Text fw={600}>{text.form.targeted(services.length)}</Text>
        <ul className={classes.plainList}>
          {services.map(({ id, name }) => (
            <li key={id}>
              <ServiceLink id={id} name={name} />
            </li>
          ))}
        </ul>
        <Text mt="xs">{text.form.byForce}</Text>
      </div>
      <TextInput
        label={text.form.typeName(<bdi className="mono">{client.name}</bdi>)}
        value={typed}
        onChange={(event) => onType(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
      />
    </>
  );
}

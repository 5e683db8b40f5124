import { Button, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ServiceLink } from '../../app/links.tsx';
import { ApiFormBody, FormDialog, Problem } from '../../ui/index.ts';
import { PairOfRemovedClient } from '../ha-pairs/index.ts';
import classes from './client.module.css';
import type { WholeClient } from './model.ts';
import type { TargetingService } from './targeting.ts';
import { texts } from './texts.tsx';
import { useRemoval } from './use-removal.ts';

const text = texts.removeClient;

/** Permanently removes a client. If services target it, lists them and asks for the client's name. */
export function RemoveClient({ client }: { client: WholeClient }) {
  const [isAsking, setAsking] = useState(false);
  const close = () => setAsking(false);
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        {text.open}
      </Button>
      <FormDialog
        of={isAsking ? client : undefined}
        title={({ name }) => text.dialog.title(<bdi>{name}</bdi>)}
        size="lg"
        onClose={close}
      >
        {(asked) => <RemoveForm client={asked} onClose={close} />}
      </FormDialog>
    </>
  );
}

function RemoveForm({ client, onClose }: { client: WholeClient; onClose: () => void }) {
  const { plan, targeting, isForced, form } = useRemoval(client);
  return (
    <ApiFormBody
      form={form}
      action={isForced ? text.form.removeByForce : text.form.remove}
      failed={text.form.failed}
      isDangerous
      isReady={!plan.isPending && (!isForced || form.values.typed === client.name)}
      onCancel={onClose}
    >
      <Text component="ul" className={classes.plainList}>
        <li>{text.form.certificatesRevoked}</li>
        <li>{text.form.recordsGone}</li>
        <li>{text.form.proxiesRunOn}</li>
        <li>{text.form.comesBack}</li>
      </Text>
      <PairOfRemovedClient clientId={client.client_id} />
      {isForced && (
        <>
          {targeting.length > 0 && <Targeting services={targeting} />}
          <TextInput
            label={text.form.typeName(<bdi className="mono">{client.name}</bdi>)}
            autoComplete="off"
            spellCheck={false}
            {...form.field('typed')}
          />
        </>
      )}
      {plan.isError && form.failure === undefined && <Problem error={plan.error} what={text.form.failed} />}
    </ApiFormBody>
  );
}

function Targeting({ services }: { services: readonly TargetingService[] }) {
  return (
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
  );
}

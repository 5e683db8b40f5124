import { Button, Checkbox, Group, PasswordInput, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Problem, sayDone, useSending } from '../../ui/index.ts';
import { type ShipperBefore, type ShipperValues, toShipperConfig, toShipperValues } from './shipper-values.ts';
import { texts } from './texts.ts';
import { TlsFields } from './tls-fields.tsx';
import { useForwarderChange } from './use-forwarder.ts';

const text = texts.shipperForm;

interface ShipperFormProps {
  readonly clientId: string;
  /** Undefined: nothing is configured. */
  readonly before: ShipperBefore | undefined;
  readonly onClose: () => void;
}

interface FieldsProps {
  readonly values: ShipperValues;
  readonly set: (one: Partial<ShipperValues>) => void;
}

/** Sets the search engine of a host. Secrets are written and never read. */
export function ShipperForm({ clientId, before, onClose }: ShipperFormProps) {
  const change = useForwarderChange(clientId, 'LOGSHIPPER');
  const sending = useSending();
  const [values, setValues] = useState(() => toShipperValues(before));
  const set = (one: Partial<ShipperValues>) => setValues((all) => ({ ...all, ...one }));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const isDone = await sending.send(async () => {
      const command = { filebeat: toShipperConfig(values, before) };
      sayDone(await change('UPDATE_FILEBEAT_CONFIG', { command, done: texts.form.saved }));
    });
    if (isDone) onClose();
  };
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        <ServerFields values={values} set={set} />
        {values.kind === 'elasticsearch' && <SearchFields values={values} set={set} />}
        <Checkbox
          label={text.tls}
          checked={values.tls}
          onChange={(event) => set({ tls: event.currentTarget.checked })}
        />
        {values.tls && <TlsFields values={values} set={set} />}
        <SourceFields values={values} set={set} />
        {sending.error !== undefined && <Problem error={sending.error} what={texts.form.failed} />}
        <Group>
          <Button type="submit" loading={sending.isBusy} disabled={values.hosts.trim() === ''}>
            {texts.form.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function ServerFields({ values, set }: FieldsProps) {
  return (
    <>
      <Select
        label={text.kind}
        data={[
          { value: 'elasticsearch', label: text.elasticsearch },
          { value: 'logstash', label: text.logstash },
        ]}
        allowDeselect={false}
        value={values.kind}
        onChange={(kind) => set({ kind: kind === 'logstash' ? kind : 'elasticsearch' })}
      />
      <Textarea
        label={text.hosts}
        description={values.kind === 'logstash' ? text.logstashHint : text.searchHint}
        rows={2}
        value={values.hosts}
        onChange={(event) => set({ hosts: event.currentTarget.value })}
        data-autofocus
      />
    </>
  );
}

function SearchFields({ values, set }: FieldsProps) {
  return (
    <>
      <TextInput
        label={text.index}
        placeholder={text.indexExample}
        value={values.index}
        onChange={(event) => set({ index: event.currentTarget.value })}
      />
      <Select
        label={text.auth}
        data={[
          { value: 'none', label: text.none },
          { value: 'user', label: text.user },
          { value: 'key', label: text.key },
        ]}
        allowDeselect={false}
        value={values.auth}
        onChange={(auth) => set({ auth: auth === 'user' || auth === 'key' ? auth : 'none' })}
      />
      {values.auth === 'user' && (
        <>
          <TextInput
            label={text.username}
            value={values.username}
            onChange={(event) => set({ username: event.currentTarget.value })}
            autoComplete="off"
          />
          <PasswordInput
            label={text.password}
            description={text.kept}
            value={values.password}
            onChange={(event) => set({ password: event.currentTarget.value })}
            autoComplete="new-password"
          />
        </>
      )}
      {values.auth === 'key' && (
        <PasswordInput
          label={text.apiKey}
          description={text.kept}
          value={values.apiKey}
          onChange={(event) => set({ apiKey: event.currentTarget.value })}
          autoComplete="new-password"
        />
      )}
      <Checkbox
        label={text.skipVerify}
        checked={values.skipVerify}
        onChange={(event) => set({ skipVerify: event.currentTarget.checked })}
      />
    </>
  );
}

function SourceFields({ values, set }: FieldsProps) {
  return (
    <>
      <Checkbox
        label={text.serviceLogs}
        checked={values.serviceLogs}
        onChange={(event) => set({ serviceLogs: event.currentTarget.checked })}
      />
      <Textarea
        label={text.inputs}
        description={text.inputsHint}
        rows={2}
        value={values.inputs}
        onChange={(event) => set({ inputs: event.currentTarget.value })}
      />
      <Select
        label={text.program}
        data={[
          { value: '', label: text.automatic },
          { value: 'filebeat', label: 'Filebeat' },
          { value: 'rsyslog', label: 'rsyslog' },
        ]}
        allowDeselect={false}
        value={values.driver}
        onChange={(driver) => set({ driver: driver ?? '' })}
      />
    </>
  );
}

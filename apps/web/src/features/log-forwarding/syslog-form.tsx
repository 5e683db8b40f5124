import type { readSyslogOutput } from '@flotilla/contract';
import { Button, Checkbox, Group, NumberInput, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Problem, sayDone, useSending } from '../../ui/index.ts';
import { texts } from './texts.ts';
import { useForwarderChange } from './use-forwarder.ts';

const text = texts.form;
const PORT = 514;

interface SyslogFormProps {
  readonly clientId: string;
  /** Undefined: nothing is configured. */
  readonly before: NonNullable<ReturnType<typeof readSyslogOutput>> | undefined;
  readonly onClose: () => void;
}

/** Sets the syslog server of a host. The private key is written and never read. */
export function SyslogForm({ clientId, before, onClose }: SyslogFormProps) {
  const change = useForwarderChange(clientId, 'SYSLOG_FWD');
  const sending = useSending();
  const [values, setValues] = useState(() => toValues(before));
  const set = (one: Partial<Values>) => setValues((all) => ({ ...all, ...one }));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const command = { rsyslog_config: { rsyslog_output: toOutput(values) } };
    const isDone = await sending.send(async () =>
      sayDone(await change('UPDATE_RSYSLOG_CONFIG', { command, done: text.saved })),
    );
    if (isDone) onClose();
  };
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        <TextInput
          label={text.target}
          value={values.target}
          onChange={(event) => set({ target: event.currentTarget.value })}
          data-autofocus
        />
        <NumberInput
          label={text.port}
          min={1}
          max={65_535}
          allowDecimal={false}
          value={values.port}
          onChange={(port) => set({ port: Number(port) })}
        />
        <Select
          label={text.protocol}
          data={['tcp', 'udp']}
          allowDeselect={false}
          value={values.protocol}
          onChange={(protocol) => set(protocol === 'udp' ? { protocol, tls: false } : { protocol: 'tcp' })}
        />
        <Checkbox
          label={text.tls}
          checked={values.tls}
          disabled={values.protocol === 'udp'}
          onChange={(event) => set({ tls: event.currentTarget.checked })}
        />
        {values.tls && <TlsFields values={values} set={set} />}
        {sending.error !== undefined && <Problem error={sending.error} what={text.failed} />}
        <Group>
          <Button type="submit" loading={sending.isBusy} disabled={values.target === ''}>
            {text.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function TlsFields({ values, set }: { values: Values; set: (one: Partial<Values>) => void }) {
  return (
    <>
      <Textarea
        label={text.ca}
        description={text.caHint}
        rows={4}
        value={values.ca}
        onChange={(event) => set({ ca: event.currentTarget.value })}
      />
      <Textarea
        label={text.cert}
        rows={4}
        value={values.cert}
        onChange={(event) => set({ cert: event.currentTarget.value })}
      />
      {values.cert !== '' && (
        <Textarea
          label={text.key}
          description={text.keyHint}
          rows={4}
          value={values.key}
          onChange={(event) => set({ key: event.currentTarget.value })}
          autoComplete="off"
        />
      )}
      <TextInput
        label={text.serverName}
        description={text.serverNameHint}
        value={values.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
    </>
  );
}

type Values = ReturnType<typeof toValues>;

function toValues(before: SyslogFormProps['before']) {
  return {
    target: before?.target ?? '',
    port: before?.port ?? PORT,
    protocol: before?.protocol ?? ('tcp' as 'tcp' | 'udp'),
    tls: before?.tls != null,
    ca: before?.tls?.ca_cert ?? '',
    cert: before?.tls?.client_cert ?? '',
    key: '',
    name: before?.tls?.server_name ?? '',
  };
}

function toOutput({ target, port, protocol, tls, ca, cert, key, name }: Values) {
  const pem = (value: string) => (value.trim() === '' ? null : `${value.trim()}\n`);
  return {
    target: target.trim(),
    port,
    protocol,
    tls: tls
      ? {
          ca_cert: pem(ca),
          client_cert: pem(cert),
          // Left out, the stored key is kept.
          ...(pem(cert) === null ? { client_key: null } : pem(key) !== null && { client_key: pem(key) }),
          server_name: name.trim() || null,
        }
      : null,
  };
}

import type { readSyslogOutput } from '@flotilla/contract';
import { Button, Checkbox, Group, NumberInput, Select, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Problem, sayDone, useSending } from '../../ui/index.ts';
import { texts } from './texts.ts';
import { TlsFields, toTls, toTlsValues } from './tls-fields.tsx';
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

type Values = ReturnType<typeof toValues>;

function toValues(before: SyslogFormProps['before']) {
  return {
    target: before?.target ?? '',
    port: before?.port ?? PORT,
    protocol: before?.protocol ?? ('tcp' as 'tcp' | 'udp'),
    tls: before?.tls != null,
    ...toTlsValues(before?.tls),
  };
}

function toOutput(values: Values) {
  const { target, port, protocol, tls } = values;
  return { target: target.trim(), port, protocol, tls: tls ? toTls(values) : null };
}

import { Textarea, TextInput } from '@mantine/core';
import { texts } from './texts.ts';

const text = texts.tls;

export type TlsValues = ReturnType<typeof toTlsValues>;

/** The private key is written and never read. */
export function TlsFields({ values, set }: { values: TlsValues; set: (one: Partial<TlsValues>) => void }) {
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

interface Tls {
  readonly ca_cert: string | null;
  readonly client_cert: string | null;
  readonly server_name: string | null;
}

export function toTlsValues(before: Tls | null | undefined) {
  return {
    ca: before?.ca_cert ?? '',
    cert: before?.client_cert ?? '',
    key: '',
    name: before?.server_name ?? '',
  };
}

export function toTls({ ca, cert, key, name }: TlsValues) {
  const pem = (value: string) => (value.trim() === '' ? null : `${value.trim()}\n`);
  return {
    ca_cert: pem(ca),
    client_cert: pem(cert),
    // Left out, the stored key is kept.
    ...(pem(cert) === null ? { client_key: null } : pem(key) !== null && { client_key: pem(key) }),
    server_name: name.trim() || null,
  };
}

import type { readShipperConfig } from '@flotilla/contract';
import { texts } from './texts.ts';
import { toTls, toTlsValues } from './tls-fields.tsx';

export type ShipperBefore = NonNullable<ReturnType<typeof readShipperConfig>>;
export type ShipperValues = ReturnType<typeof toShipperValues>;

type Auth = 'none' | 'user' | 'key';

export function toShipperValues(before: ShipperBefore | undefined) {
  const auth: Auth = before?.has_api_key ? 'key' : before?.username != null ? 'user' : 'none';
  const inputs = before?.inputs ?? [];
  return {
    kind: before?.kind ?? 'elasticsearch',
    hosts: before?.hosts.join('\n') ?? '',
    index: before?.index ?? '',
    auth,
    username: before?.username ?? '',
    password: '',
    apiKey: '',
    skipVerify: before?.skip_ssl_verify ?? false,
    tls: before?.tls != null,
    driver: before?.driver ?? '',
    serviceLogs: before?.service_logs ?? true,
    inputs: inputs.flatMap(({ id, paths }) => paths.map((path) => `${id}=${path}`)).join('\n'),
    ...toTlsValues(before?.tls),
  };
}

/** The configuration to send. It keeps members that the form does not show. Throws if a line of the inputs is no input. */
export function toShipperConfig(values: ShipperValues, before: ShipperBefore | undefined) {
  const { kind, index, driver, serviceLogs, skipVerify } = values;
  const { timestamp_processor, drop_fields_processor } = before?.whole ?? {};
  const output = {
    hosts: toLines(values.hosts),
    loadbalance: before?.loadbalance ?? true,
    tls: values.tls ? toTls(values) : null,
  };
  return {
    driver: driver || null,
    service_logs: serviceLogs,
    inputs: toInputs(values.inputs, before),
    timestamp_processor: timestamp_processor ?? null,
    drop_fields_processor: drop_fields_processor ?? null,
    filebeat_output:
      kind === 'logstash'
        ? { logstash: output }
        : {
            elasticsearch: {
              ...output,
              ...(index.trim() !== '' && { index: index.trim() }),
              skip_ssl_verify: skipVerify,
              ...toCredentials(values),
            },
          },
  };
}

/** A secret that is left out stays as it is stored. */
function toCredentials({ auth, username, password, apiKey }: ShipperValues) {
  if (auth === 'none') return { api_key: null, basic_auth: null };
  if (auth === 'key') return { ...(apiKey !== '' && { api_key: apiKey.trim() }), basic_auth: null };
  return { api_key: null, basic_auth: { username, ...(password !== '' && { password }) } };
}

function toInputs(text: string, before: ShipperBefore | undefined) {
  const inputs = new Map<string, string[]>();
  for (const line of toLines(text)) {
    const [, id = '', path] = /^([^=]+)=(.+)$/.exec(line) ?? [];
    if (path === undefined) throw new Error(texts.shipperForm.noInput(line));
    inputs.set(id, [...(inputs.get(id) ?? []), path]);
  }
  const isOff = (id: string) => before?.inputs.some((one) => one.id === id && !one.enabled) ?? false;
  return [...inputs].map(([id, paths]) => ({ type: 'filestream', id, paths, enabled: !isOff(id) }));
}

function toLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

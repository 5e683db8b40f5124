import { err, ok, type Result } from '@flotilla/kit';
import { type ForwardingTls, KEPT_SECRET, type ShipperDriverName } from '@flotilla/proto/commands';
import { type GivenShipperConfig, shipperConfigSchema } from '@flotilla/proto/forwarding';
import { readTls } from '../read-tls.ts';

type GivenOutput = GivenShipperConfig['filebeat_output'];

export type SearchOutput = Omit<NonNullable<GivenOutput['elasticsearch']>, 'api_key' | 'basic_auth' | 'tls'> & {
  readonly api_key: string | null;
  readonly basic_auth: { readonly username: string; readonly password: string } | null;
  readonly tls: ForwardingTls | null;
};
export type LogstashOutput = Omit<NonNullable<GivenOutput['logstash']>, 'tls'> & { readonly tls: ForwardingTls | null };

/** Where the lines go. Exactly one of both is there. */
export interface ShipperOutput {
  readonly elasticsearch?: SearchOutput | undefined;
  readonly logstash?: LogstashOutput | undefined;
}

/** The configuration of a shipper. The driver is the one that the host has chosen, so that another program that is installed later changes nothing. */
export type ShipperConfig = Omit<GivenShipperConfig, 'driver' | 'filebeat_output'> & {
  readonly driver: ShipperDriverName;
  readonly filebeat_output: ShipperOutput;
};

/** A configuration for which no program is chosen yet. */
export type UnplacedConfig = Omit<ShipperConfig, 'driver'> & { readonly driver: ShipperDriverName | null };

/** Reads the configuration of a command. The error names the field and contains no value. */
export function parseShipperConfig(value: unknown): Result<UnplacedConfig, string> {
  const checked = shipperConfigSchema.safeParse(value);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    return err(`${issue?.path.join('.') || 'the configuration'}: ${issue?.message ?? 'is not valid'}`);
  }
  const { filebeat_output: given, ...rest } = checked.data;
  const output = given.elasticsearch ? parseSearch(given.elasticsearch) : parseLogstash(given.logstash);
  return output.ok ? ok({ ...rest, filebeat_output: output.value }) : output;
}

function parseSearch(given: NonNullable<GivenOutput['elasticsearch']>): Result<ShipperOutput, string> {
  const tls = readTls(given.tls);
  if (!tls.ok) return tls;
  const { api_key: key = null, basic_auth: user } = given;
  const password = user?.password ?? null;
  if (key === KEPT_SECRET || password === KEPT_SECRET) return err('a stored secret is missing');
  if (user && password === null) return err('basic_auth.password is missing');
  const basic = user && password !== null ? { username: user.username, password } : null;
  return ok({ elasticsearch: { ...given, api_key: key, basic_auth: basic, tls: tls.value } });
}

function parseLogstash(given: GivenOutput['logstash']): Result<ShipperOutput, string> {
  if (!given) return err('filebeat_output is missing');
  const tls = readTls(given.tls);
  return tls.ok ? ok({ logstash: { ...given, tls: tls.value } }) : tls;
}

export function tlsOf({ filebeat_output: { elasticsearch, logstash } }: UnplacedConfig): ForwardingTls | null {
  return (elasticsearch ?? logstash)?.tls ?? null;
}

export function secretsOf(config: UnplacedConfig): readonly string[] {
  const { elasticsearch } = config.filebeat_output;
  const secrets = [elasticsearch?.api_key, elasticsearch?.basic_auth?.password, tlsOf(config)?.client_key];
  return secrets.filter((one) => typeof one === 'string');
}

/** The configuration with `***` in place of its secrets, as the member of a command. */
export function maskShipper(config: ShipperConfig): unknown {
  const { elasticsearch, logstash } = config.filebeat_output;
  const tls = maskTls(tlsOf(config));
  const output = elasticsearch
    ? {
        elasticsearch: {
          ...elasticsearch,
          tls,
          api_key: elasticsearch.api_key === null ? null : KEPT_SECRET,
          basic_auth: elasticsearch.basic_auth && { ...elasticsearch.basic_auth, password: KEPT_SECRET },
        },
      }
    : { logstash: { ...logstash, tls } };
  return { filebeat: { ...config, filebeat_output: output } };
}

function maskTls(tls: ForwardingTls | null) {
  return tls && { ...tls, client_key: tls.client_key === null ? null : KEPT_SECRET };
}

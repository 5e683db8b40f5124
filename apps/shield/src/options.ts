import { parseArgs } from 'node:util';
import { err, ok, type Result } from '@flotilla/kit';
import { isLoopback, type ListenAddress, parseListenAddress } from './listen-address.ts';

export interface ShieldOptions {
  readonly policy: string;
  readonly listen: ListenAddress;
  readonly admin: ListenAddress | undefined;
  readonly xffTrustedHops: number;
}

type Env = Readonly<Record<string, string | undefined>>;

/** More proxies than this in a row is a typing error. */
const TRUSTED_HOPS_MAX = 64;

export const USAGE = `usage:
  flotilla shield --policy FILE|DIR --listen unix:PATH|HOST:PORT [--admin HOST:PORT|unix:PATH]
                  [--xff-trusted-hops N] [--allow-non-loopback]
  flotilla shield validate FILE|DIR
  flotilla shield envoy-config --listen unix:PATH|HOST:PORT [--xff-trusted-hops N] [--json]

Every flag of the first form has a twin in the environment: SVC_SHIELD_POLICY, SVC_SHIELD_LISTEN, SVC_SHIELD_ADMIN,
SVC_SHIELD_XFF_TRUSTED_HOPS, SVC_SHIELD_ALLOW_NON_LOOPBACK. A flag wins over its twin.
`;

/** Reads flags and environment. The error is one line for the person who started the program. */
export function parseShieldOptions(argv: readonly string[], env: Env): Result<ShieldOptions, string> {
  const flags = parseFlags(argv, {
    policy: { type: 'string' },
    listen: { type: 'string' },
    admin: { type: 'string' },
    'xff-trusted-hops': { type: 'string' },
    'allow-non-loopback': { type: 'boolean' },
  });
  if (!flags.ok) return flags;
  const { values, positionals } = flags.value;
  if (positionals.length > 0) return err(`unexpected argument ${JSON.stringify(positionals[0])}`);

  const policy = pick('policy', values.policy, env.SVC_SHIELD_POLICY);
  if (policy.text === undefined) return err('--policy (or SVC_SHIELD_POLICY) is required');
  const listen = pick('listen', values.listen, env.SVC_SHIELD_LISTEN);
  if (listen.text === undefined) return err('--listen (or SVC_SHIELD_LISTEN) is required');
  const listenAddress = parseListenAddress(listen.text);
  if (typeof listenAddress === 'string') return err(`${listen.origin} ${listenAddress}`);
  const admin = pick('admin', values.admin, env.SVC_SHIELD_ADMIN);
  const adminAddress = admin.text === undefined ? undefined : parseListenAddress(admin.text);
  if (typeof adminAddress === 'string') return err(`${admin.origin} ${adminAddress}`);
  const hops = parseTrustedHops(pick('xff-trusted-hops', values['xff-trusted-hops'], env.SVC_SHIELD_XFF_TRUSTED_HOPS));
  if (!hops.ok) return hops;
  const exposed = parseSwitch(values['allow-non-loopback'], env.SVC_SHIELD_ALLOW_NON_LOOPBACK);
  if (!exposed.ok) return exposed;
  for (const [address, { origin }] of [
    [listenAddress, listen],
    [adminAddress, admin],
  ] as const) {
    if (address !== undefined && !exposed.value && !isLoopback(address)) {
      return err(
        `${origin} is not a loopback address; whoever reaches it can use the filter (--allow-non-loopback to accept that)`,
      );
    }
  }
  return ok({ policy: policy.text, listen: listenAddress, admin: adminAddress, xffTrustedHops: hops.value });
}

export interface EnvoyConfigOptions {
  readonly listen: ListenAddress;
  readonly xffTrustedHops: number;
  readonly json: boolean;
}

export function parseEnvoyConfigOptions(argv: readonly string[], env: Env): Result<EnvoyConfigOptions, string> {
  const flags = parseFlags(argv, {
    listen: { type: 'string' },
    'xff-trusted-hops': { type: 'string' },
    json: { type: 'boolean' },
  });
  if (!flags.ok) return flags;
  const { values, positionals } = flags.value;
  if (positionals.length > 0) return err(`unexpected argument ${JSON.stringify(positionals[0])}`);
  const listen = pick('listen', values.listen, env.SVC_SHIELD_LISTEN);
  if (listen.text === undefined) return err('--listen is required');
  const address = parseListenAddress(listen.text);
  if (typeof address === 'string') return err(`${listen.origin} ${address}`);
  const hops = parseTrustedHops(pick('xff-trusted-hops', values['xff-trusted-hops'], env.SVC_SHIELD_XFF_TRUSTED_HOPS));
  return hops.ok ? ok({ listen: address, xffTrustedHops: hops.value, json: values.json === true }) : hops;
}

interface Picked {
  readonly text: string | undefined;
  /** The flag or variable that the text comes from, for messages. */
  readonly origin: string;
}

function pick(flag: string, value: string | undefined, twin: string | undefined): Picked {
  if (value !== undefined) return { text: value, origin: `--${flag} ${JSON.stringify(value)}` };
  const name = `SVC_SHIELD_${flag.toUpperCase().replaceAll('-', '_')}`;
  // An empty variable is how a unit file leaves one out.
  return { text: twin === '' ? undefined : twin, origin: `${name} ${JSON.stringify(twin)}` };
}

function parseTrustedHops({ text, origin }: Picked): Result<number, string> {
  if (text === undefined) return ok(0);
  const hops = Number(text);
  if (!/^\d+$/.test(text) || hops > TRUSTED_HOPS_MAX)
    return err(`${origin} must be a number from 0 to ${TRUSTED_HOPS_MAX}`);
  return ok(hops);
}

function parseSwitch(flag: boolean | undefined, twin: string | undefined): Result<boolean, string> {
  if (flag !== undefined) return ok(flag);
  if (twin === undefined || twin === '' || twin === 'false') return ok(false);
  if (twin === 'true') return ok(true);
  return err(`SVC_SHIELD_ALLOW_NON_LOOPBACK ${JSON.stringify(twin)} must be true or false`);
}

type FlagTypes = Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;

function parseFlags<T extends FlagTypes>(argv: readonly string[], options: T) {
  try {
    return ok(parseArgs({ args: [...argv], options, allowPositionals: true, strict: true }));
  } catch (error) {
    return err(error instanceof Error ? error.message : String(error));
  }
}

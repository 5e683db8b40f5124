import { hostname } from 'node:os';
import { parseArgs } from 'node:util';
import { err, ok, type Result } from '@flotilla/kit';
import { shieldThreadAddresses } from '@flotilla/policy';
import { formatAddress, isLoopback, type ListenAddress, parseListenAddress } from './listen-address.ts';

export interface ShieldOptions {
  readonly policy: string;
  readonly listen: ListenAddress;
  readonly admin: ListenAddress | undefined;
  readonly xffTrustedHops: number;
  /** Threads that serve, the first at `listen`, the others beside it. */
  readonly threads: number;
  /** The file that limiters outlive a restart in. */
  readonly state: string | undefined;
  /** The filter's own name in findings; the host's unless given. */
  readonly node: string;
  /** Findings that `/events` can tell. */
  readonly eventsKeep: number;
}

type Env = Readonly<Record<string, string | undefined>>;

/** More proxies than this in a row is a typing error. */
const TRUSTED_HOPS_MAX = 64;
const THREADS_MAX = 64;
/** Beyond what a policy may ask for. */
const BODY_MAX_BYTES = 16 * 1024 ** 2;
const NODE_MAX_CHARS = 256;
const EVENTS_KEEP_DEFAULT = 1000;
/** A finding takes about a kilobyte. */
const EVENTS_KEEP_MAX = 100_000;

/** Reads flags and environment. The error is one line for the person who started the program. */
export function parseShieldOptions(argv: readonly string[], env: Env): Result<ShieldOptions, string> {
  const flags = parseFlags(argv, {
    policy: { type: 'string' },
    listen: { type: 'string' },
    admin: { type: 'string' },
    'xff-trusted-hops': { type: 'string' },
    threads: { type: 'string' },
    state: { type: 'string' },
    node: { type: 'string' },
    'events-keep': { type: 'string' },
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
  const threads = parseThreads(pick('threads', values.threads, env.SVC_SHIELD_THREADS), listenAddress);
  if (!threads.ok) return threads;
  const state = pick('state', values.state, env.SVC_SHIELD_STATE).text;
  const node = pick('node', values.node, env.SVC_SHIELD_NODE);
  if ((node.text ?? '').length > NODE_MAX_CHARS)
    return err(`${node.origin} is longer than ${NODE_MAX_CHARS} characters`);
  const eventsKeep = parseNumber(pick('events-keep', values['events-keep'], env.SVC_SHIELD_EVENTS_KEEP), {
    min: 0,
    max: EVENTS_KEEP_MAX,
    absent: EVENTS_KEEP_DEFAULT,
  });
  if (!eventsKeep.ok) return eventsKeep;
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
  return ok({
    policy: policy.text,
    listen: listenAddress,
    admin: adminAddress,
    xffTrustedHops: hops.value,
    threads: threads.value,
    state,
    node: node.text ?? hostname(),
    eventsKeep: eventsKeep.value,
  });
}

export interface EnvoyConfigOptions {
  /** Of every thread of the filter. */
  readonly listen: readonly ListenAddress[];
  readonly xffTrustedHops: number;
  /** The largest body that the policies read. */
  readonly bodyMaxBytes: number;
  readonly json: boolean;
}

export function parseEnvoyConfigOptions(argv: readonly string[], env: Env): Result<EnvoyConfigOptions, string> {
  const flags = parseFlags(argv, {
    listen: { type: 'string' },
    'xff-trusted-hops': { type: 'string' },
    threads: { type: 'string' },
    'max-body-bytes': { type: 'string' },
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
  if (!hops.ok) return hops;
  const threads = parseThreads(pick('threads', values.threads, env.SVC_SHIELD_THREADS), address);
  if (!threads.ok) return threads;
  const bytes = parseNumber(pick('max-body-bytes', values['max-body-bytes'], undefined), {
    min: 0,
    max: BODY_MAX_BYTES,
    absent: 0,
  });
  if (!bytes.ok) return bytes;
  return ok({
    bodyMaxBytes: bytes.value,
    listen: shieldThreadAddresses(address, threads.value),
    xffTrustedHops: hops.value,
    json: values.json === true,
  });
}

interface Picked {
  readonly text: string | undefined;
  /** The flag or variable that the text comes from, for messages. */
  readonly origin: string;
}

export function pick(flag: string, value: string | undefined, twin: string | undefined): Picked {
  if (value !== undefined) return { text: value, origin: `--${flag} ${JSON.stringify(value)}` };
  const name = `SVC_SHIELD_${flag.toUpperCase().replaceAll('-', '_')}`;
  // An empty variable is how a unit file leaves one out.
  return { text: twin === '' ? undefined : twin, origin: `${name} ${JSON.stringify(twin)}` };
}

export function parseTrustedHops(picked: Picked): Result<number, string> {
  return parseNumber(picked, { min: 0, max: TRUSTED_HOPS_MAX, absent: 0 });
}

export function parseNumber(
  { text, origin }: Picked,
  { min, max, absent }: { readonly min: number; readonly max: number; readonly absent: number },
): Result<number, string> {
  if (text === undefined) return ok(absent);
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < min || number > max)
    return err(`${origin} must be a number from ${min} to ${max}`);
  return ok(number);
}

/** The last thread's address must be one, too. */
function parseThreads(picked: Picked, listen: ListenAddress): Result<number, string> {
  const threads = parseNumber(picked, { min: 1, max: THREADS_MAX, absent: 1 });
  if (!threads.ok) return threads;
  const last = shieldThreadAddresses(listen, threads.value).map(formatAddress).map(parseListenAddress).at(-1);
  if (typeof last === 'string') return err(`${picked.origin}: the address of the last thread ${last}`);
  if (listen.kind === 'tcp' && listen.port === 0 && threads.value > 1)
    return err(`${picked.origin} needs another port than 0 in --listen`);
  return threads;
}

function parseSwitch(flag: boolean | undefined, twin: string | undefined): Result<boolean, string> {
  if (flag !== undefined) return ok(flag);
  if (twin === undefined || twin === '' || twin === 'false') return ok(false);
  if (twin === 'true') return ok(true);
  return err(`SVC_SHIELD_ALLOW_NON_LOOPBACK ${JSON.stringify(twin)} must be true or false`);
}

type FlagTypes = Readonly<
  Record<string, { readonly type: 'string' | 'boolean'; readonly multiple?: boolean; readonly short?: string }>
>;

export function parseFlags<T extends FlagTypes>(argv: readonly string[], options: T) {
  try {
    return ok(parseArgs({ args: [...argv], options, allowPositionals: true, strict: true }));
  } catch (error) {
    return err(error instanceof Error ? error.message : String(error));
  }
}

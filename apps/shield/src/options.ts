import { hostname } from 'node:os';
import { err, ok, type Result } from '@flotilla/kit';
import { type Env, parseFlags, parseNumber, parseThreads, parseTrustedHops, pick } from './flags.ts';
import { formatAddress, isLoopback, type ListenAddress, parseListenAddress } from './listen-address.ts';
import { derivePairAddresses, isPairName, type PairAddresses } from './pair/pair-addresses.ts';

export interface ShieldOptions {
  readonly policy: string;
  readonly listen: ListenAddress;
  readonly admin: ListenAddress | undefined;
  readonly xffTrustedHops: number;
  /** Number of serving threads; the first is at `listen`, the others next to it. */
  readonly threads: number;
  /** Set for a filter that shares its addresses with others, of which one serves at a time. */
  readonly pair: PairAddresses | undefined;
  /** The file in which limiters survive a restart. */
  readonly state: string | undefined;
  /** Address of Envoy's admin endpoint, for the self-test. */
  readonly envoyAdmin: ListenAddress | undefined;
  /** The filter's own name in findings. Default: the host's name. */
  readonly node: string;
  /** Number of findings kept for `/events`. */
  readonly eventsKeep: number;
}

const NODE_MAX_CHARS = 256;
const EVENTS_KEEP_DEFAULT = 1000;
/** A finding takes about a kilobyte. */
const EVENTS_KEEP_MAX = 100_000;

const FLAGS = {
  policy: { type: 'string' },
  listen: { type: 'string' },
  admin: { type: 'string' },
  'xff-trusted-hops': { type: 'string' },
  threads: { type: 'string' },
  state: { type: 'string' },
  pair: { type: 'string' },
  'envoy-admin': { type: 'string' },
  node: { type: 'string' },
  'events-keep': { type: 'string' },
  'allow-non-loopback': { type: 'boolean' },
} as const;

/** Reads flags and environment. The error is one line for the person who started the program. */
export function parseShieldOptions(argv: readonly string[], env: Env): Result<ShieldOptions, string> {
  const flags = parseFlags(argv, FLAGS);
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
  const pair = parsePair(pick('pair', values.pair, env.SVC_SHIELD_PAIR), listenAddress, adminAddress);
  if (!pair.ok) return pair;
  const state = pick('state', values.state, env.SVC_SHIELD_STATE).text;
  const envoyAdmin = pick('envoy-admin', values['envoy-admin'], env.SVC_SHIELD_ENVOY_ADMIN);
  const envoyAddress = envoyAdmin.text === undefined ? undefined : parseListenAddress(envoyAdmin.text);
  if (typeof envoyAddress === 'string') return err(`${envoyAdmin.origin} ${envoyAddress}`);
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
        `${origin} is not a loopback address; anyone who can connect to it can use the filter (--allow-non-loopback to accept that)`,
      );
    }
  }
  return ok({
    policy: policy.text,
    listen: listenAddress,
    admin: adminAddress,
    xffTrustedHops: hops.value,
    threads: threads.value,
    pair: pair.value,
    state,
    envoyAdmin: envoyAddress,
    node: node.text ?? hostname(),
    eventsKeep: eventsKeep.value,
  });
}

function parsePair(
  { text, origin }: { readonly text: string | undefined; readonly origin: string },
  listen: ListenAddress,
  admin: ListenAddress | undefined,
): Result<PairAddresses | undefined, string> {
  if (text === undefined) return ok(undefined);
  if (!isPairName(text)) return err(`${origin} must be a name of lower-case letters, digits and dashes`);
  if (listen.kind !== 'unix' || admin?.kind === 'tcp') return err(`${origin} needs unix:PATH for --listen and --admin`);
  const addresses = derivePairAddresses(text, listen, admin);
  const longest = parseListenAddress(formatAddress(addresses.admin ?? addresses.duty));
  return typeof longest === 'string' ? err(`${origin} ${longest}`) : ok(addresses);
}

function parseSwitch(flag: boolean | undefined, twin: string | undefined): Result<boolean, string> {
  if (flag !== undefined) return ok(flag);
  if (twin === undefined || twin === '' || twin === 'false') return ok(false);
  if (twin === 'true') return ok(true);
  return err(`SVC_SHIELD_ALLOW_NON_LOOPBACK ${JSON.stringify(twin)} must be true or false`);
}

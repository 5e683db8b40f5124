import { hostname } from 'node:os';
import { err, ok, type Result } from '@flotilla/kit';
import { type Env, parseFlags, parseNumber, parseThreads, parseTrustedHops, pick } from './flags.ts';
import { isLoopback, type ListenAddress, parseListenAddress } from './listen-address.ts';

export interface ShieldOptions {
  readonly policy: string;
  readonly listen: ListenAddress;
  readonly admin: ListenAddress | undefined;
  readonly xffTrustedHops: number;
  /** Threads that serve, the first at `listen`, the others beside it. */
  readonly threads: number;
  /** The file that limiters outlive a restart in. */
  readonly state: string | undefined;
  /** Where Envoy's admin endpoint answers, for the self-test. */
  readonly envoyAdmin: ListenAddress | undefined;
  /** The filter's own name in findings; the host's unless given. */
  readonly node: string;
  /** Findings that `/events` can tell. */
  readonly eventsKeep: number;
}

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
    'envoy-admin': { type: 'string' },
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
    envoyAdmin: envoyAddress,
    node: node.text ?? hostname(),
    eventsKeep: eventsKeep.value,
  });
}

function parseSwitch(flag: boolean | undefined, twin: string | undefined): Result<boolean, string> {
  if (flag !== undefined) return ok(flag);
  if (twin === undefined || twin === '' || twin === 'false') return ok(false);
  if (twin === 'true') return ok(true);
  return err(`SVC_SHIELD_ALLOW_NON_LOOPBACK ${JSON.stringify(twin)} must be true or false`);
}

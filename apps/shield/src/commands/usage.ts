import { EXIT_USAGE, type ShieldIo } from './shield-io.ts';

export const USAGE = `usage:
  flotilla shield --policy FILE|DIR --listen unix:PATH|HOST:PORT [--admin HOST:PORT|unix:PATH]
                  [--xff-trusted-hops N] [--allow-non-loopback] [--threads N] [--state FILE]
                  [--envoy-admin HOST:PORT|unix:PATH] [--pair NAME]
                  [--node NAME] [--events-keep N]
  flotilla shield validate FILE|DIR [--strict] [--json]
  flotilla shield explain --policy FILE|DIR --url URL [--method M] [--host H] [-H 'name: value']...
                  [--body @FILE|TEXT] [--source-ip IP | --peer IP[:PORT]] [--xff-trusted-hops N] [--json]
  flotilla shield replay --policy FILE|DIR [--baseline FILE|DIR] [--format jsonl|har|envoy]
                  [--xff-trusted-hops N] [--fail-on-change] [--json] LOG...
  flotilla shield envoy-config --listen unix:PATH|HOST:PORT [--xff-trusted-hops N] [--threads N]
                  [--max-body-bytes N] [--json]

Every flag of the first form has a twin in the environment: SVC_SHIELD_POLICY, SVC_SHIELD_LISTEN, SVC_SHIELD_ADMIN,
SVC_SHIELD_XFF_TRUSTED_HOPS, SVC_SHIELD_ALLOW_NON_LOOPBACK, SVC_SHIELD_THREADS, SVC_SHIELD_STATE, SVC_SHIELD_NODE,
SVC_SHIELD_EVENTS_KEEP, SVC_SHIELD_PAIR. A flag wins over its twin.

Exit codes: 0; 1 a policy, an address or a log is bad, and what --strict and --fail-on-change ask for; 2 the command line.
`;

export function refuseUsage(io: ShieldIo, message: string): number {
  io.stderr.write(`flotilla shield: ${message}\n\n${USAGE}`);
  return EXIT_USAGE;
}

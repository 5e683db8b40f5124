import { COMMAND_OUTCOMES, SHIELD_EVENT_VERDICTS, SHIELD_SEVERITIES } from '@flotilla/contract';
import { RECORD_NAMES } from '../commands/get-records.ts';
import { clients, policies, services, users } from '../commands/lookups.ts';
import { FILES, FREE, type Source } from '../nouns/sources.ts';

/** What a hand-written command takes; a declared one says it with its inputs. */
export type HandSource =
  | Source
  | { readonly kind: 'choices'; readonly values: readonly string[] }
  | { readonly kind: 'projects' };

const choices = (values: readonly string[]): HandSource => ({ kind: 'choices', values });

const projects: HandSource = { kind: 'projects' };

/** By command and name (`commands list --outcome`, `get name`); else by the name alone (`--service`). */
const SOURCES: Readonly<Record<string, HandSource>> = {
  service: services.source,
  project: projects,
  file: FILES,
  '--project': projects,
  '--service': services.source,
  '--client': clients.source,
  '--policy': policies.source,
  '--user': users.source,
  '--verdict': choices(SHIELD_EVENT_VERDICTS),
  '--severity': choices(SHIELD_SEVERITIES),
  '--expect': choices(['allowed', 'blocked']),
  '--filename': FILES,
  '--file': FILES,
  '--cache': FILES,
  '--request': FILES,
  'delete name': RECORD_NAMES,
  'history name': RECORD_NAMES,
  'revert name': RECORD_NAMES,
  'rollout name': RECORD_NAMES,
  'dependencies name': RECORD_NAMES,
  'commands list --outcome': choices(COMMAND_OUTCOMES),
  'replay --format': choices(['jsonl', 'har', 'envoy']),
};

/** Only the person knows them: names of new things, ids, times, texts, addresses. */
const TYPED = new Set([
  'name',
  'id',
  'url',
  'type',
  'version',
  'revision',
  '--url',
  '--username',
  '--otp',
  '--realm',
  '--version',
  '--name',
  '--revision',
  '--label',
  '--query',
  '--note',
  '--ttl',
  '--engine',
  '--reason',
  '--method',
  '--host',
  '--path',
  '--subject',
  '--source',
  '--source-ip',
  '--request-id',
  '--since',
  '--until',
  '--limit',
  '--top',
  '--header',
  '--body',
  '--baseline',
  '--wait',
  '--sub-type',
  '--type',
]);

/**
 * The source of an argument (`name`) or option (`--name`) of a hand-written command; undefined if this table lacks it.
 * `command`: its words, as in `commands list`.
 */
export function findSource(command: string, name: string): HandSource | undefined {
  return SOURCES[`${command} ${name}`] ?? SOURCES[name] ?? (TYPED.has(name) ? FREE : undefined);
}

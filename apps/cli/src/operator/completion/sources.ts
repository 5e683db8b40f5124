import { COMMAND_OUTCOMES, SHIELD_EVENT_VERDICTS, SHIELD_SEVERITIES } from '@flotilla/contract';
import { RECORD_NAMES } from '../commands/get-records.ts';
import { clients, policies, services, users } from '../commands/lookups.ts';
import { FILES, FREE, type Source } from '../nouns/sources.ts';

/** Source of the candidates for a value of a hand-written command. Declared commands have it in their inputs. */
export type HandSource =
  | Source
  | { readonly kind: 'choices'; readonly values: readonly string[] }
  | { readonly kind: 'projects' };

const choices = (values: readonly string[]): HandSource => ({ kind: 'choices', values });

const projects: HandSource = { kind: 'projects' };

/** Keys are a command and a name (`commands list --outcome`, `get name`) or only a name (`--service`). */
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

/** Values without candidates: new names, ids, times, texts and addresses. */
const WITHOUT_CANDIDATES = new Set([
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
  'upstream',
  'host',
  '--port',
  '--address',
  '--client-address',
  '--listener',
  '--certificate',
  '--authorities',
  '--sni',
  '--health-check',
  '--sub-type',
  '--wave',
  '--first-wave',
  '--pause',
  '--wave-time',
  '--stop-at',
  '--type',
]);

/**
 * Returns the source of an argument (`name`) or option (`--name`) of a hand-written command, or undefined if this table has no
 * entry. `command` contains all words of the command: `commands list`.
 */
export function findSource(command: string, name: string): HandSource | undefined {
  return SOURCES[`${command} ${name}`] ?? SOURCES[name] ?? (WITHOUT_CANDIDATES.has(name) ? FREE : undefined);
}

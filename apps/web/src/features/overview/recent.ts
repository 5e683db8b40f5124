import type { Overview } from '@flotilla/contract';

const NOUNS: Readonly<Record<string, string>> = {
  listeners: 'listener',
  routes: 'route configuration',
  virtual_hosts: 'virtual host',
  clusters: 'cluster',
  secrets: 'secret',
  filters: 'filter',
  extensions: 'extension',
};

type Recent = Overview['recent'][number];

/** `created` `service` `demo`: a change as a sentence after who did it. */
export interface ChangePhrase {
  readonly verb: string;
  /** Empty where the verb says it all. */
  readonly kind: string;
  /** Empty where it has none. */
  readonly name: string;
}

const VERBS: Readonly<Record<string, string>> = {
  create: 'created',
  delete: 'deleted',
  update: 'changed',
  replace: 'changed',
  patch: 'changed',
  restore: 'restored',
  apply: 'applied',
  enrol: 'enrolled',
  connect: 'connected',
  end: 'ended',
};

/** Actions whose words do not follow from their two parts. */
const PHRASES: Readonly<Record<string, readonly [verb: string, kind: string]>> = {
  'command.dispatch': ['sent a command to', ''],
  'config_error.resolve': ['resolved configuration errors of', ''],
  'config_error.clear': ['cleared configuration errors of', ''],
  'membership.create': ['gave a role to', ''],
  'membership.update': ['changed the role of', ''],
  'membership.delete': ['took the role from', ''],
  'profile.password': ['changed the own password', ''],
  'profile.email': ['changed the own e-mail address', ''],
  'document.apply': ['applied', 'documents'],
  'client.delete': ['removed', 'client'],
  'enrolment_token.delete': ['withdrew', 'an enrolment token'],
  'enrolment_token.create': ['created', 'an enrolment token'],
};

export function phraseOf(change: Recent): ChangePhrase {
  if (change.kind === 'audit') return phraseAudited(change);
  if (change.kind === 'policy') return { verb: 'changed', kind: 'policy', name: change.name };
  return { verb: 'changed', kind: nounOf(change.collection ?? 'document'), name: change.name };
}

function phraseAudited({ action, resource }: Extract<Recent, { kind: 'audit' }>): ChangePhrase {
  const name = resource.name ?? '';
  const phrase = PHRASES[action];
  if (phrase) return { verb: phrase[0], kind: phrase[1] || nounOf(resource.type ?? ''), name };
  const [subject = '', verb = ''] = action.split('.');
  return {
    verb: VERBS[verb] ?? verb.replaceAll('_', ' '),
    kind: nounOf(subject === 'document' ? (resource.type ?? subject) : subject),
    name,
  };
}

/** Documents are called by what they hold: `listeners` -> `listener`. */
function nounOf(type: string): string {
  return NOUNS[type] ?? type.replaceAll('_', ' ');
}

/** Who did it. A host that enrols acts under the id of the client that it becomes. */
export function actorOf(change: Recent): string {
  if (change.kind === 'audit' && change.actor !== null && change.actor === change.resource.id) return 'A host';
  return change.actor ?? 'Nobody known';
}

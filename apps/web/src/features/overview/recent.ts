import type { Overview } from '@flotilla/contract';
import { texts } from '../../texts/index.ts';

const text = texts.overview.recent;

const NOUNS: Readonly<Record<string, string>> = {
  listeners: 'listener',
  routes: text.nouns.routes,
  virtual_hosts: text.nouns.virtualHosts,
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
  gone: 'signed out',
  back: 'let back in',
};

/** Actions whose words do not follow from their two parts. */
const PHRASES: Readonly<Record<string, readonly [verb: string, kind: string]>> = {
  'command.dispatch': [text.phrases.factSentCommand, ''],
  'config_error.resolve': [text.phrases.factResolvedConfiguration, ''],
  'config_error.clear': [text.phrases.factClearedConfiguration, ''],
  'membership.create': [text.phrases.factGaveRole, ''],
  'membership.update': [text.phrases.factChangedRole, ''],
  'membership.delete': [text.phrases.factTookRole, ''],
  'profile.password': [text.phrases.factChangedOwn, ''],
  'profile.email': [text.phrases.factChangedOwnEMail, ''],
  'document.apply': ['applied', 'documents'],
  'client.delete': ['removed', 'client'],
  'enrolment_token.delete': ['withdrew', text.phrases.enrolmentTokenDeleteEnrolmentToken],
  'enrolment_token.create': ['created', text.phrases.enrolmentTokenDeleteEnrolmentToken],
};

export function phraseOf(change: Recent): ChangePhrase {
  if (change.kind === 'audit') return phraseAudited(change);
  if (change.kind === 'policy') return { verb: text.phraseOf.verbPolicy, kind: 'policy', name: change.name };
  return { verb: text.phraseOf.verbPolicy, kind: nounOf(change.collection ?? 'document'), name: change.name };
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
  if (change.kind === 'audit' && change.actor !== null && change.actor === change.resource.id)
    return text.actorOf.textHost;
  return change.actor ?? text.actorOf.textNobodyKnown;
}

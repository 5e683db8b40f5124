import type { Overview } from '@flotilla/contract';
import { texts } from '../../texts/index.ts';

const text = texts.overview.recent;

const { did, isOwn, noun } = texts.auditActions;

type Recent = Overview['recent'][number];

/** `created service` `demo`: a change as a sentence after who did it. */
export interface ChangePhrase {
  readonly words: string;
  /** Empty where it has none, or where the words say it all. */
  readonly name: string;
}

export function phraseOf(change: Recent): ChangePhrase {
  if (change.kind === 'audit') {
    const { action, resource } = change;
    return { words: did(action, resource.type), name: isOwn(action) ? '' : (resource.name ?? '') };
  }
  const type = change.kind === 'policy' ? change.kind : (change.collection ?? 'document');
  return { words: text.changed(noun(type)), name: change.name };
}

/** Who did it. A host that enrols acts under the id of the client that it becomes. */
export function actorOf(change: Recent): string {
  if (change.kind === 'audit' && change.actor !== null && change.actor === change.resource.id) return text.actorOf.host;
  return change.actor ?? text.actorOf.nobodyKnown;
}

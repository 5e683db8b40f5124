import type { Overview } from '@flotilla/contract';
import { auditActions } from '../../changes/action-texts.ts';
import { texts } from './texts.tsx';

const text = texts.recent;

const { did, isOwn, noun } = auditActions;

type Recent = Overview['recent'][number];

/** A change as a predicate of its actor: `created service` `demo`. */
export interface ChangePhrase {
  readonly words: string;
  /** Name of the resource; empty if it has no name or `words` contain it. */
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

/** Consecutive changes by the same actor, of the same kind and resource. */
export interface RecentGroup {
  readonly change: Recent;
  readonly count: number;
}

/** Groups changes, newest first. */
export function groupRecent(changes: readonly Recent[]): readonly RecentGroup[] {
  const groups: RecentGroup[] = [];
  for (const change of changes) {
    const last = groups.at(-1);
    if (last && keyOf(last.change) === keyOf(change)) groups[groups.length - 1] = { ...last, count: last.count + 1 };
    else groups.push({ change, count: 1 });
  }
  return groups;
}

function keyOf(change: Recent): string {
  const { words, name } = phraseOf(change);
  return JSON.stringify([change.kind, actorOf(change), words, name]);
}

/** Returns the display name of the actor. An enrolling host acts under the ID of its new client. */
export function actorOf(change: Recent): string {
  if (change.kind === 'audit' && change.actor !== null && change.actor === change.resource.id) return text.actorOf.host;
  return change.actor ?? text.actorOf.nobodyKnown;
}

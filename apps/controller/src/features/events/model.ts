import type { ChangeEvent, EventTopic, Role } from '@flotilla/contract';
import { isRoleAtLeast, READER_TOPICS } from '@flotilla/contract';

/** An event and whom it concerns: the members of a project, or, without one, the owners of the installation. */
export interface News {
  readonly project: string | null;
  readonly event: ChangeEvent;
}

export interface Listener {
  readonly project: string;
  readonly role: Role;
  /** Owner of the installation. */
  readonly isOwner: boolean;
  /** Reaches of the project only what permissions name: hears that something of a topic has changed, and not what. */
  readonly isReader: boolean;
}

/** Of one topic in one project at one time: more events are told as one that stands for all. */
export const EVENTS_PER_TOPIC_MAX = 100;

/** Owners of the installation hear of every project as such, and of what belongs to none; the rest goes by role. */
export function hears(listener: Listener, { project, event }: News): boolean {
  const concerns =
    project === listener.project || (listener.isOwner && (project === null || event.topic === 'project'));
  return concerns && (READER_TOPICS.includes(event.topic) || isRoleAtLeast(listener.role, 'admin'));
}

/** What is told of it to those who may not know what it is about. */
export function veil(event: ChangeEvent): ChangeEvent {
  return event.topic === 'project' ? event : ofTopic(event.topic);
}

/** Equal ones once, in the order of their last occurrence; of a topic with very many, one for all. */
export function condense(news: Iterable<News>): News[] {
  const byGroup = new Map<string, Map<string, News>>();
  for (const one of news) {
    const group = `${one.project} ${one.event.topic}`;
    const known = byGroup.get(group) ?? new Map<string, News>();
    byGroup.set(group, known);
    const key = JSON.stringify(one.event);
    known.delete(key);
    known.set(key, one);
  }
  return [...byGroup.values()].flatMap((group) => {
    const first = group.values().next().value;
    if (group.size <= EVENTS_PER_TOPIC_MAX || !first) return [...group.values()];
    return [{ project: first.project, event: ofTopic(first.event.topic) }];
  });
}

/** The event that says that anything of a topic may have changed. */
export function ofTopic(topic: EventTopic): ChangeEvent {
  return { topic };
}

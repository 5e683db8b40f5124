import type { ChangeEvent, EventTopic, Role } from '@flotilla/contract';
import { isRoleAtLeast, MEMBER_TOPICS } from '@flotilla/contract';

/** An event and its audience: the members of a project, or the owners of the installation without one. */
export interface News {
  readonly project: string | null;
  readonly event: ChangeEvent;
}

export interface Listener {
  readonly project: string;
  readonly role: Role;
  readonly isOwner: boolean;
  /** Restricted to the resources that permissions name. Learns that a topic has changed, but not which resource. */
  readonly isReader: boolean;
}

/** More events of one topic and project in one round are replaced by a single one without ids. */
export const EVENTS_PER_TOPIC_MAX = 100;

/**
 * Owners of the installation receive project events of every project, and events without a project. All others depend
 * on the role.
 */
export function hears(listener: Listener, { project, event }: News): boolean {
  const concerns =
    project === listener.project || (listener.isOwner && (project === null || event.topic === 'project'));
  return concerns && (isForReaders(event) || isRoleAtLeast(listener.role, 'admin'));
}

/** Any member may read the resource of the event, except for host load, which editors and viewers may not read. */
function isForReaders(event: ChangeEvent): boolean {
  return MEMBER_TOPICS.has(event.topic) && !(event.topic === 'client' && event.change === 'stats');
}

/** Removes the ids that the listener may not know. */
export function veil(event: ChangeEvent): ChangeEvent {
  return event.topic === 'project' ? event : ofTopic(event.topic);
}

/**
 * Keeps equal events once, in the order of their last occurrence. Replaces many events of one topic by a single one.
 */
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

/** An event without ids: anything of the topic may have changed. */
export function ofTopic(topic: EventTopic): ChangeEvent {
  return { topic };
}

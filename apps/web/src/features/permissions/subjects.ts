import type { Level, ListedResource, PermissionSubject } from '@flotilla/contract';
import { useDebouncedValue } from '@mantine/hooks';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { texts } from './texts.ts';

/** Subjects that permissions apply to: groups, and members whose role does not give access to everything. */
export interface Subject {
  readonly kind: 'user' | 'group';
  readonly id: string;
  readonly label: string;
}

/** Maximum number of offered options; typing narrows them. */
const OFFERED = 50;
/** Number of columns shown by default. */
const SHOWN_AT_FIRST = 4;
/** Maximum number of columns: a wider matrix is unusable. */
export const SHOWN_MAX = 20;
const TOPICS = ['user', 'group'] as const;

interface Subjects {
  readonly shown: readonly Subject[];
  /** Options that match the input. */
  readonly offered: readonly Subject[];
}

/**
 * Loads the subjects that the URL names and those that match `text`; the controller searches. Undefined while loading
 * or after a failure; `query` says which.
 */
export function useSubjects(named: readonly string[], text: string) {
  const { id: project } = useProject();
  const [q] = useDebouncedValue(text.trim(), 150);
  const ids = named
    .map((key) => key.split(':')[1] ?? '')
    .filter((id) => UUID.test(id))
    .slice(0, SHOWN_MAX);
  const first = useApi(
    routes.permission.subjects,
    { query: { project, limit: SHOWN_AT_FIRST } },
    { topics: [...TOPICS], enabled: ids.length === 0 },
  );
  const chosen = useApi(
    routes.permission.subjects,
    { query: { project, subject_id: ids, limit: SHOWN_MAX } },
    { topics: [...TOPICS], enabled: ids.length > 0, keepPrevious: true },
  );
  const found = useApi(
    routes.permission.subjects,
    { query: { project, limit: OFFERED, ...(q && { q }) } },
    { topics: [...TOPICS], keepPrevious: true },
  );
  // Keeps the shown subjects while the next ones load.
  const base = ids.length > 0 ? (chosen.data ?? first.data) : (first.data ?? chosen.data);
  const asked = base ? found : ids.length > 0 ? chosen : first;
  const offered = found.data?.body.items.map(toSubject);
  const subjects: Subjects | undefined = base &&
    offered && { shown: chooseShown(base.body.items.map(toSubject), named, offered), offered };
  return { subjects, query: asked };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function toSubject({ kind, id, name }: PermissionSubject): Subject {
  return { kind, id, label: kind === 'group' ? texts.subjects.group(name) : name };
}

export const keyOf = ({ kind, id }: Pick<Subject, 'kind' | 'id'>): string => `${kind}:${id}`;

/** Returns the named subjects, in the order of the list, or the first few if no name matches. */
export function chooseShown(
  found: readonly Subject[],
  named: readonly string[],
  all: readonly Subject[] = found,
): readonly Subject[] {
  const chosen = found.filter((subject) => named.includes(keyOf(subject)));
  return chosen.length > 0 ? chosen : all.slice(0, SHOWN_AT_FIRST);
}

type Given = ListedResource['permissions'][number];

/** Returns the permission of a subject for one resource itself. */
export function givenTo(permissions: readonly Given[], { kind, id }: Subject): Given | undefined {
  return permissions.find(({ subject }) => subject.kind === kind && subject.id === id);
}

export type Choice = 'none' | Level;
export const CHOICES: readonly Choice[] = ['none', 'view', 'use', 'change'];

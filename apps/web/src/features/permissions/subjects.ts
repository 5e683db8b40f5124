import type { GroupView, Level, ListedResource } from '@flotilla/contract';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';

/** Whom something may be given to: groups, and members whose role does not reach everything. */
export interface Subject {
  readonly kind: 'user' | 'group';
  readonly id: string;
  readonly label: string;
}

const LIMIT = 1000;
/** Columns that are shown until somebody chooses others. */
const SHOWN_AT_FIRST = 4;

/** Undefined while they are asked for. */
export function useSubjects(): readonly Subject[] | undefined {
  const { id } = useProject();
  const query = { project: id, limit: LIMIT };
  const users = useApi(routes.user.list, { query }, { topics: ['user'] });
  const groups = useApi(routes.group.list, { query }, { topics: ['group'] });
  if (!users.data || !groups.data) return undefined;
  const members = users.data.body.items.filter(
    ({ is_owner, memberships }) =>
      !is_owner && memberships.some(({ project, role }) => project === id && (role === 'editor' || role === 'viewer')),
  );
  return [
    ...groups.data.body.items.map(({ id: group, name }: GroupView) => ({
      kind: 'group' as const,
      id: group,
      label: texts.permissions.subjects.group(name),
    })),
    ...members.map(({ id: user, username }) => ({ kind: 'user' as const, id: user, label: username })),
  ];
}

export const keyOf = ({ kind, id }: Pick<Subject, 'kind' | 'id'>): string => `${kind}:${id}`;

/** Those that the URL names, in the order of the subjects; the first few where it names none that is there. */
export function chooseShown(subjects: readonly Subject[], named: readonly string[]): readonly Subject[] {
  const chosen = subjects.filter((subject) => named.includes(keyOf(subject)));
  return chosen.length > 0 ? chosen : subjects.slice(0, SHOWN_AT_FIRST);
}

type Given = ListedResource['permissions'][number];

/** What is given to a subject on a thing itself. */
export function givenTo(permissions: readonly Given[], { kind, id }: Subject): Given | undefined {
  return permissions.find(({ subject }) => subject.kind === kind && subject.id === id);
}

export const CHOICES: readonly ('none' | Level)[] = ['none', 'view', 'use', 'change'];

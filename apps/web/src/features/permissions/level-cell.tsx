import type { Level, ResourceKind } from '@flotilla/contract';
import { NativeSelect } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call, invalidate, routes } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { sayDone, sayFailed, useSending } from '../../ui/index.ts';
import { CHOICES, type Subject } from './subjects.ts';

const text = texts.permissions;

interface LevelCellProps {
  readonly subject: Subject;
  readonly resource: { readonly kind: ResourceKind; readonly id: string | null };
  /** Of the thing, for people. */
  readonly name: string;
  readonly given: { readonly id: string; readonly level: Level } | undefined;
}

/** What a subject is given on a thing; a choice holds at once. */
export function LevelCell({ subject, resource, name, given }: LevelCellProps) {
  const project = useProject();
  const can = useCan();
  const queryClient = useQueryClient();
  const sending = useSending();
  const change = async (wanted: 'none' | Level) => {
    const query = { project: project.id };
    try {
      if (wanted === 'none') {
        if (given) await call(routes.permission.revoke, { params: { permission_id: given.id }, query });
        sayDone(text.taken(subject.label, name));
      } else {
        const body = { subject: { kind: subject.kind, id: subject.id }, resource, level: wanted };
        await call(routes.permission.grant, { query, body });
        sayDone(text.given(subject.label, text.levels[wanted], name));
      }
    } catch (error) {
      sayFailed(text.failed, error);
    }
    await invalidate(queryClient, routes.permission.resources, routes.permission.list);
  };
  return (
    <NativeSelect
      size="xs"
      aria-label={text.cell(subject.label, name)}
      value={given?.level ?? 'none'}
      disabled={!can(routes.permission.grant) || sending.isBusy}
      data={CHOICES.map((level) => ({ value: level, label: text.levels[level] }))}
      onChange={(event) => {
        const wanted = CHOICES.find((level) => level === event.currentTarget.value) ?? 'none';
        void sending.send(() => change(wanted));
      }}
    />
  );
}

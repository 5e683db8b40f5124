import type { Level, ResourceKind } from '@flotilla/contract';
import { NativeSelect } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { call, invalidate, routes } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { sayDone, sayFailed } from '../../ui/index.ts';
import { CHOICES, type Choice, type Subject } from './subjects.ts';
import { texts } from './texts.ts';

const text = texts;

interface LevelCellProps {
  readonly subject: Subject;
  readonly resource: { readonly kind: ResourceKind; readonly id: string | null };
  /** Display name of the resource. */
  readonly name: string;
  readonly given: { readonly id: string; readonly level: Level } | undefined;
}

/** Selects the permission of a subject for a resource. A choice is saved at once and keeps the focus. */
export function LevelCell(props: LevelCellProps) {
  const { subject, name, given } = props;
  const can = useCan();
  const { wanted, choose } = useChoice(props);
  return (
    <NativeSelect
      size="xs"
      aria-label={text.cell(subject.label, name)}
      aria-busy={wanted !== undefined}
      value={wanted ?? given?.level ?? 'none'}
      disabled={!can(routes.permission.grant)}
      data={CHOICES.map((level) => ({ value: level, label: text.levels[level] }))}
      onChange={(event) => {
        const to = CHOICES.find((level) => level === event.currentTarget.value);
        if (to !== undefined) void choose(to);
      }}
    />
  );
}

/** Saves one choice after the other, because each builds on the previous one. A newer choice replaces one that waits. */
function useChoice({ subject, resource, name, given }: LevelCellProps) {
  const project = useProject();
  const queryClient = useQueryClient();
  const [wanted, setWanted] = useState<Choice>();
  const next = useRef<Choice>(undefined);
  const isSaving = useRef(false);
  const query = { project: project.id };
  /** Returns the permission that there is now. */
  const save = async (to: Choice, before: LevelCellProps['given']) => {
    try {
      if (to !== 'none') {
        const body = { subject: { kind: subject.kind, id: subject.id }, resource, level: to };
        const granted = await call(routes.permission.grant, { query, body });
        sayDone(text.given(subject.label, text.levels[to], name));
        return granted.body;
      }
      if (before) await call(routes.permission.revoke, { params: { permission_id: before.id }, query });
      sayDone(text.taken(subject.label, name));
      return undefined;
    } catch (error) {
      sayFailed(text.failed, error);
      return before;
    }
  };
  const choose = async (to: Choice) => {
    setWanted(to);
    next.current = to;
    if (isSaving.current) return;
    isSaving.current = true;
    let current = given;
    try {
      while (next.current !== undefined) {
        const choice = next.current;
        next.current = undefined;
        current = await save(choice, current);
        await invalidate(queryClient, routes.permission.resources, routes.permission.list);
      }
    } finally {
      isSaving.current = false;
      setWanted(undefined);
    }
  };
  return { wanted, choose };
}

import type { Level, ResourceKind } from '@flotilla/contract';
import { NativeSelect } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
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
export function LevelCell({ subject, resource, name, given }: LevelCellProps) {
  const project = useProject();
  const can = useCan();
  const queryClient = useQueryClient();
  const [wanted, setWanted] = useState<Choice>();
  const change = async (to: Choice) => {
    const query = { project: project.id };
    setWanted(to);
    try {
      if (to === 'none') {
        if (given) await call(routes.permission.revoke, { params: { permission_id: given.id }, query });
        sayDone(text.taken(subject.label, name));
      } else {
        const body = { subject: { kind: subject.kind, id: subject.id }, resource, level: to };
        await call(routes.permission.grant, { query, body });
        sayDone(text.given(subject.label, text.levels[to], name));
      }
    } catch (error) {
      sayFailed(text.failed, error);
    }
    await invalidate(queryClient, routes.permission.resources, routes.permission.list);
    setWanted(undefined);
  };
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
        // Saves one change at a time, because each builds on the previous one.
        if (to !== undefined && wanted === undefined) void change(to);
      }}
    />
  );
}

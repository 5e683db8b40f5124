import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { call, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import type { FieldError } from '../../changes/index.ts';
import type { CollectionName } from './collection-texts.ts';
import { ownNameOf, type ResourceDraft } from './draft-model.ts';
import { texts } from './texts.tsx';

const words = texts.workbench;

const CHECK_GATHER_MS = 350;
const NO_ERRORS: readonly FieldError[] = [];

export interface CheckedDraft {
  readonly collection: CollectionName;
  readonly version: string;
  readonly type: string;
  /** Name of the document; empty before it is entered. */
  readonly name: string;
  readonly draft: ResourceDraft;
  /** Errors of the last attempt to save. */
  readonly refused?: readonly FieldError[];
  readonly readOnly?: boolean;
  /** Whether nothing was entered yet: missing fields are not reported then. */
  readonly isUntouched?: boolean;
}

export interface Check {
  /** Whether no check is needed. */
  readonly isIdle: boolean;
  readonly isBusy: boolean;
  readonly failure: unknown;
  readonly errors: readonly FieldError[];
  readonly warnings: readonly FieldError[];
  /** References to documents that do not exist. */
  readonly missing: readonly FieldError[];
}

/** Dry-runs the save, shortly after the last keystroke. */
export function useCheck({ collection, version, type, name, draft, readOnly, isUntouched }: CheckedDraft): Check {
  const project = useProject();
  const [resource] = useDebouncedValue(draft.resource, CHECK_GATHER_MS);
  const last = useRef<Pick<Check, 'errors' | 'warnings' | 'missing'>>({
    errors: NO_ERRORS,
    warnings: NO_ERRORS,
    missing: NO_ERRORS,
  });
  const query = useQuery({
    queryKey: [routes.schema.check.id, project.id, version, type, name, resource],
    queryFn: async ({ signal }) => {
      const body = { project: project.id, version, collection, type, resource, ...(name && { name }) };
      return (await call(routes.schema.check, { body }, { signal })).body;
    },
    enabled: !readOnly && !isUntouched,
    gcTime: 0,
  });
  const { data } = query;
  useEffect(() => {
    if (data) last.current = toFindings(data);
  }, [data]);
  const found = useMemo(() => (data ? toFindings(data) : last.current), [data]);
  return {
    ...found,
    isIdle: Boolean(readOnly || isUntouched),
    isBusy: query.isFetching || resource !== draft.resource,
    failure: query.error,
  };
}

interface CheckAnswer {
  readonly errors: readonly FieldError[];
  readonly warnings: readonly FieldError[];
  readonly references: readonly { path: string; collection: string; name: string; missing: boolean }[];
}

function toFindings({ errors, warnings, references }: CheckAnswer): Pick<Check, 'errors' | 'warnings' | 'missing'> {
  const missing = references
    .filter((reference) => reference.missing)
    .map(({ path, collection, name }) => ({
      path,
      rule: 'reference.missing',
      message: words.toFindings.namesMissing(name, collection.replaceAll('_', ' ')),
    }));
  return { errors, warnings, missing };
}

/** Returns the errors to show: of the check, and of the last attempt to save. */
export function useErrors({ errors, missing }: Check, { collection, name, refused = NO_ERRORS }: CheckedDraft) {
  // The name input above the form reports itself as required.
  const unasked = name === '' ? ownNameOf(collection, '')?.field : undefined;
  return useMemo(() => {
    // The check and the refusal may describe the same problem in different words.
    const known = new Set([...errors, ...missing].map(({ path, rule }) => `${path} ${rule}`));
    const found = [...errors, ...missing, ...refused.filter(({ path, rule }) => !known.has(`${path} ${rule}`))];
    return found.filter(({ path }) => path !== unasked);
  }, [errors, missing, refused, unasked]);
}

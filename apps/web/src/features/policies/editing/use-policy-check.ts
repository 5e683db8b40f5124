import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ApiError } from '../../../api/index.ts';
import type { PolicyContent } from '../model.ts';
import { type PlacedError, toPolicyErrors, toPolicyWarnings } from './policy-errors.ts';
import { type PolicyTarget, writePolicy } from './write-policy.ts';

const GATHER_MS = 500;
const NOTHING: readonly PlacedError[] = [];

export interface PolicyCheck {
  /** idle: nothing to check. busy: checking, or about to. unknown: no answer, see `failure`. */
  readonly state: 'idle' | 'busy' | 'good' | 'bad' | 'unknown';
  readonly errors: readonly PlacedError[];
  /** Possible mistakes that do not block saving. */
  readonly warnings: readonly PlacedError[];
  readonly failure: unknown;
}

/** Dry-runs the save, shortly after the last keystroke. */
export function usePolicyCheck(
  { project, name, ifMatch }: PolicyTarget,
  content: PolicyContent,
  isEnabled: boolean,
): PolicyCheck {
  // Name and text are debounced together, because the text contains the name.
  const question = useMemo(() => ({ target: { project, name, ifMatch }, content }), [project, name, ifMatch, content]);
  const [settled] = useDebouncedValue(question, GATHER_MS);
  const query = useQuery({
    queryKey: ['policy-check', settled],
    queryFn: async ({ signal }) => {
      try {
        const { body } = await writePolicy(settled.target, settled.content, { dryRun: true, signal });
        return { errors: NOTHING, warnings: toPolicyWarnings(body.warnings) };
      } catch (failure) {
        const errors = failure instanceof ApiError ? toPolicyErrors(failure) : undefined;
        if (!errors) throw failure;
        return { errors, warnings: NOTHING };
      }
    },
    enabled: isEnabled && settled === question,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    // Raw keys are part of the query, so it is removed from the cache as soon as it is not shown.
    gcTime: 0,
    retry: false,
  });
  const { errors, warnings } = (isEnabled ? query.data : undefined) ?? { errors: NOTHING, warnings: NOTHING };
  const isBusy = query.isFetching || settled !== question;
  const state = !isEnabled ? 'idle' : isBusy ? 'busy' : query.isError ? 'unknown' : errors.length > 0 ? 'bad' : 'good';
  return { state, errors, warnings, failure: isEnabled ? query.error : null };
}

import type { FormEvent } from 'react';
import { ApiError, type RouteRef } from '../../api/index.ts';
import type { FieldRules } from '../form/field-rules.ts';
import { explainRefusal, explainValues, hasProblem, type Refusals } from '../form/problems.ts';
import { rulesOf } from '../form/rules-of.ts';
import { useSending } from '../use-sending.ts';
import type { Fields } from './field-edits.ts';
import { useFieldEdits } from './use-field-edits.ts';

export interface EditFormOptions<T extends Fields> {
  /** The route that gets the changes. The contract has the rules of its fields. */
  readonly route: Pick<RouteRef, 'id'>;
  /** The latest known state of the record. */
  readonly stored: T;
  /** Rejects with the reason if nothing was written. */
  readonly send: (changes: Partial<T>, values: T) => Promise<unknown>;
  /** Reads the record again after somebody else changed it, unless `send` does. */
  readonly onStale?: () => Promise<unknown>;
  readonly refusals?: Refusals<T>;
}

export type EditForm<T extends Fields> = ReturnType<typeof useEditForm<T>>;

/** A form over a stored record that others may change meanwhile: it sends only what differs, and shows clashes field by field. */
export function useEditForm<T extends Fields>({ route, stored, send, onStale, refusals }: EditFormOptions<T>) {
  const rules = rulesOf(route);
  const sending = useSending();
  const edits = useFieldEdits(stored);
  const { values, clashes } = edits;
  const wrong = explainValues(rules, values);
  const refused = explainRefusal(sending.error, values, { refusals });
  const isStale = isConflict(sending.error);
  const write = async () => {
    try {
      await send(edits.changes, values);
    } catch (failure) {
      if (isConflict(failure)) await onStale?.();
      throw failure;
    }
    edits.reset();
  };
  return {
    values,
    clashes,
    isChanged: edits.isChanged,
    /** Somebody else changed the record, without a clash. */
    isMerged: isStale && clashes.length === 0,
    isBusy: sending.isBusy,
    canSubmit: edits.isChanged && clashes.length === 0 && !isEmptied(rules, values) && !hasProblem(wrong),
    failure: isStale || hasProblem(refused) ? undefined : sending.error,
    errorOf: (field: keyof T) => refused[field] ?? wrong[field],
    set: <K extends keyof T>(field: K, value: T[K]) => {
      sending.clear();
      edits.set(field, value);
    },
    takeTheirs: edits.takeTheirs,
    keepMine: () => {
      sending.clear();
      edits.keepMine();
    },
    discard: () => {
      sending.clear();
      edits.reset();
    },
    submit: (event: FormEvent) => {
      event.preventDefault();
      void sending.send(write);
    },
  };
}

/** Whether a text is empty that must not be. A patch requires no field, but a field that it has keeps its rule. */
function isEmptied(rules: FieldRules, values: Fields): boolean {
  return Object.entries(values).some(([name, value]) => value === '' && (rules[name]?.min ?? 0) > 0);
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 412;
}

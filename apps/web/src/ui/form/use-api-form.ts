import { type GetInputPropsReturnType, type UseFormReturnType, useForm } from '@mantine/form';
import type { FormEvent } from 'react';
import type { RouteRef } from '../../api/index.ts';
import { useSending } from '../use-sending.ts';
import {
  explainRefusal,
  explainValues,
  hasProblem,
  isComplete,
  type Problems,
  type Refusals,
  type Values,
} from './problems.ts';
import { rulesOf } from './rules-of.ts';

export interface ApiFormOptions<V extends Values> {
  /** The route that gets the values. The contract has the rules of its fields. */
  readonly route: Pick<RouteRef, 'id'>;
  readonly initial: V;
  /** Rejects with the reason if nothing was written. */
  readonly send: (values: V) => Promise<unknown>;
  readonly refusals?: Refusals<V>;
  /** Shows the message of some refusals at a field, by their code. */
  readonly messages?: Readonly<Record<string, keyof V & string>>;
  readonly onChange?: () => void;
  /** Checks what the contract does not say, such as a date in the past. */
  readonly check?: (values: V) => Problems<V>;
}

export interface ApiForm<V extends Values> {
  readonly values: V;
  readonly set: UseFormReturnType<V>['setFieldValue'];
  readonly reset: () => void;
  /** Props of the input for a field: value, error, onChange. */
  readonly field: (name: keyof V & string, kind?: 'input' | 'checkbox') => GetInputPropsReturnType;
  readonly isBusy: boolean;
  /** False while a required text is missing or a value is wrong. */
  readonly canSubmit: boolean;
  /** Why the last attempt failed, unless a field explains it. */
  readonly failure: unknown;
  readonly submit: (event: FormEvent<HTMLFormElement>) => void;
}

/** A form whose values go to one route. The rules of the contract are checked while typing; refusals of the controller appear at their fields. */
export function useApiForm<V extends Values>(options: ApiFormOptions<V>): ApiForm<V> {
  const { route, initial, send, check, onChange } = options;
  const rules = rulesOf(route);
  const sending = useSending();
  const explain = (values: V) => ({ ...explainValues(rules, values), ...check?.(values) });
  const form = useForm<V>({
    initialValues: initial,
    validate: explain,
    onValuesChange: () => {
      sending.clear();
      onChange?.();
    },
  });
  const wrong = explain(form.values);
  const refused = explainRefusal(sending.error, initial, options);
  return {
    values: form.values,
    set: form.setFieldValue,
    reset: form.reset,
    field: (name, kind = 'input') => ({
      ...(form.getInputProps(name as never, { type: kind }) as GetInputPropsReturnType),
      error: refused[name] ?? wrong[name],
    }),
    isBusy: sending.isBusy,
    canSubmit: isComplete(rules, form.values) && !hasProblem(wrong),
    failure: hasProblem(refused) ? undefined : sending.error,
    submit: form.onSubmit((values) => void sending.send(() => send(values))),
  };
}

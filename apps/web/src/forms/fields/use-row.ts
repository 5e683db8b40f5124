import { useContext, useId } from 'react';
import { PrivateContext, useFindings, useForm } from '../form-context.ts';
import { checkValue } from '../model/check-value.ts';
import type { Finding } from '../model/findings.ts';
import type { Json } from '../model/json.ts';
import type { PrivatePart } from '../model/private-parts.ts';
import { isElement, type RowProps } from './row-props.ts';

export interface Row {
  readonly id: string;
  readonly isSet: boolean;
  readonly breaches: readonly string[];
  readonly findings: readonly Finding[];
  readonly below: number;
  readonly stored: PrivatePart | undefined;
  readonly secret: boolean;
  readonly commit: (value: Json | undefined, typing: boolean) => void;
  readonly remove: () => void;
}

const NO_BREACHES: readonly string[] = [];

/** Returns state and actions shared by all kinds of rows. */
export function useRow(props: RowProps): Row {
  const { field, value, at, parentAt } = props;
  const { state } = useForm();
  const { here, below } = useFindings(at);
  const stored = useContext(PrivateContext).at(at);
  const id = useId();
  const isSet = value !== undefined;

  const commit = (next: Json | undefined, typing: boolean) => {
    if (next !== undefined) state.set(at, next, { typing });
    else {
      // A cleared field stays visible for the next input.
      if (!isElement(props)) state.ask(parentAt, field.name);
      state.remove(at, { typing });
    }
  };
  const remove = () => {
    if (props.index !== undefined) {
      state.removeItem(parentAt, props.index);
      return;
    }
    if (field.oneof !== undefined && value !== undefined) state.memory.keep(parentAt, field.name, value);
    state.unask(parentAt, field.name);
    state.setOpen(at, false);
    state.remove(at);
  };
  return {
    id,
    isSet,
    breaches: value === undefined || value === null ? NO_BREACHES : checkValue(field, value),
    findings: here,
    below,
    stored: isSet ? undefined : stored,
    secret: props.secret === true || field.sensitive,
    commit,
    remove,
  };
}

import {
  type ComponentType,
  createContext,
  type RefCallback,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useSyncExternalStore,
} from 'react';
import type { MessageFieldsProps, RowProps } from './fields/row-props.ts';
import { type Finding, FindingIndex } from './model/findings.ts';
import type { FormState } from './model/form-state.ts';
import { PrivatePlaces } from './model/private-parts.ts';
import type { PickerRequest } from './picker/picker-request.ts';
import type { SchemaSource } from './schema-source.ts';

/** Stable while a form is open, so it never causes a render. */
export interface FormEnvironment {
  readonly state: FormState;
  readonly source: SchemaSource;
  readonly readOnly: boolean;
  readonly linkTo: (collection: string, name: string) => string | undefined;
  readonly pick: (request: PickerRequest) => void;
  /** Renders a field of any kind. Rows and fields of a message render each other. */
  readonly Row: ComponentType<RowProps>;
  readonly Fields: ComponentType<MessageFieldsProps>;
}

export const EnvironmentContext = createContext<FormEnvironment | undefined>(undefined);
export const FindingsContext = createContext(new FindingIndex([]));
export const PrivateContext = createContext(new PrivatePlaces([]));

export function useForm(): FormEnvironment {
  const environment = useContext(EnvironmentContext);
  if (!environment) throw new Error('a field can only be shown inside a MessageForm');
  return environment;
}

export function useFindings(at: string): { readonly here: readonly Finding[]; readonly below: number } {
  const index = useContext(FindingsContext);
  return { here: index.at(at), below: index.count(at) };
}

export function useIsOpen(at: string): boolean {
  const { state } = useForm();
  return useSyncExternalStore(state.subscribe, () => state.isOpen(at));
}

export function useAsked(at: string): ReadonlySet<string> {
  const { state } = useForm();
  return useSyncExternalStore(state.subscribe, () => state.asked(at));
}

const CONTROLS =
  '[data-control]:not([disabled]), button:not([disabled]), input:not([disabled]), textarea:not([disabled])';

export function focusFirst(element: Element | null | undefined): boolean {
  const target =
    element?.querySelector<HTMLElement>('[data-control]:not([disabled])') ??
    element?.querySelector<HTMLElement>(CONTROLS);
  target?.focus();
  return target !== null && target !== undefined;
}

/** Focuses the element when the form requests this place, or a missing one inside it. */
export function useFocusTarget<E extends HTMLElement>(at: string): RefCallback<E> {
  const { state } = useForm();
  const element = useRef<E | null>(null);
  const wanted = useSyncExternalStore(state.subscribe, () => state.isFocusWithin(at));
  useEffect(() => {
    if (!wanted || !state.claimFocus(at)) return;
    if (focusFirst(element.current)) element.current?.scrollIntoView({ block: 'nearest' });
  }, [wanted, state, at]);
  return useCallback((node: E | null) => {
    element.current = node;
  }, []);
}

import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useUrlState } from '../../../app/url-state.ts';
import { formatPath } from '../../../editor/document/path.ts';
import { Notice } from '../../../ui/index.ts';
import { type EditPath, editText } from '../../../yaml/edit-text.ts';
import type { PlacedError } from '../editing/policy-errors.ts';
import type { PolicyFile } from '../model.ts';
import { DefaultsForm } from './defaults-form.tsx';
import { DomainList } from './domain-list.tsx';
import classes from './form.module.css';
import { FormContext, type PolicyFormContext } from './form-context.ts';
import { CLOSED, formatPlace, parsePlace } from './place.ts';
import { readPolicyView } from './policy-view.ts';
import { texts } from './texts.tsx';

const words = texts.policyForm;

interface PolicyFormProps {
  readonly text: string;
  /** undefined: the user may only read. */
  readonly onChange: ((text: string) => void) | undefined;
  readonly errors: readonly PlacedError[];
  readonly files: readonly PolicyFile[];
  readonly onFile: (file: PolicyFile) => void;
}

const READ_AFTER_MS = 150;
/** Maximum size of a text that the form edits: parsing and writing a longer one takes half a second. */
const FORM_MAX_CHARS = 400_000;
const NOTHING: readonly PlacedError[] = [];

/** Shows the policy as a form: another view of the same text. An edit changes only its own place; unknown text stays. */
export function PolicyForm(props: PolicyFormProps) {
  const url = useUrlState();
  const { view, isTooLarge, isRefused, context } = useEditedPolicy(props);
  const asked = url.get('at');
  const frame = useRef<HTMLDivElement>(null);
  const isShown = view !== undefined;
  useEffect(() => {
    if (isShown && asked !== undefined) bringIntoView(frame.current, asked);
  }, [isShown, asked]);
  if (isTooLarge)
    return (
      <Notice tone="quiet" title={words.tooLarge}>
        {words.tooLargeText(FORM_MAX_CHARS.toLocaleString('en'))}
      </Notice>
    );
  if (!view)
    return (
      <Notice tone="warn" title={words.unreadable}>
        {words.unreadableText}
      </Notice>
    );
  // If there is only one domain, it is open by default.
  const isSingle = view.domains.length === 1;
  const place = parsePlace(asked ?? (isSingle ? formatPlace(0) : undefined));
  const open = (at: string | undefined) => url.set({ at: at ?? (isSingle ? CLOSED : undefined) });
  return (
    <FormContext value={context}>
      <div ref={frame} className={classes.form}>
        {isRefused && (
          <Notice tone="warn" title={words.notChangeable}>
            {words.notChangeableText}
          </Notice>
        )}
        <DefaultsForm isOpen={place.isDefaults} onOpen={(isOpen) => open(isOpen ? 'defaults' : undefined)} />
        <DomainList domains={view.domains} place={place} onOpen={open} />
      </div>
    </FormContext>
  );
}

/** Reads the text for the form, and gives the fields of the form the functions that edit it. */
function useEditedPolicy({ text, onChange, errors, files, onFile }: PolicyFormProps) {
  const made = useRef<string>(undefined);
  const [settled] = useDebouncedValue(text, READ_AFTER_MS);
  // Edits in the form are shown at once; edits in the text after a pause in typing.
  const shown = text === made.current ? text : settled;
  const isTooLarge = shown.length > FORM_MAX_CHARS;
  const view = useMemo(() => (isTooLarge ? undefined : readPolicyView(shown)), [shown, isTooLarge]);
  const [isRefused, setRefused] = useState(false);
  // Two edits may happen before the parent has rendered the first.
  const latest = useRef(text);
  latest.current = text;
  const defaults = view?.defaults;
  const context = useMemo<PolicyFormContext>(() => {
    const at = (path: EditPath) => formatPath(path);
    return {
      isReadOnly: onChange === undefined,
      apply: (edits) => {
        const next = editText(latest.current, edits);
        setRefused(next === undefined);
        if (next === undefined || next === latest.current) return;
        latest.current = next;
        made.current = next;
        onChange?.(next);
      },
      errorsAt: (path) => (errors.length === 0 ? NOTHING : errors.filter((error) => error.path === at(path))),
      errorsWithin: (path) =>
        errors.length === 0 ? NOTHING : errors.filter((error) => isWithin(error.path, at(path))),
      defaults: defaults ?? {},
      files,
      addFile: onFile,
    };
  }, [onChange, errors, defaults, files, onFile]);
  return { view, isTooLarge, isRefused, context };
}

/** Scrolls to the target of a link or of the error list. Clicks in the form and typing do not scroll. */
function bringIntoView(frame: HTMLElement | null, place: string): void {
  const focused = document.activeElement;
  if (!frame || frame.contains(focused) || focused?.closest('.cm-editor')) return;
  frame.querySelector(`[data-place="${CSS.escape(place)}"]`)?.scrollIntoView({ block: 'start' });
}

function isWithin(path: string, place: string): boolean {
  return (
    path.startsWith(place) && (path.length === place.length || path[place.length] === '.' || path[place.length] === '[')
  );
}

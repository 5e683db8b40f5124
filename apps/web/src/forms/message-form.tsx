import { IconAlertTriangle, IconSearch } from '@tabler/icons-react';
import {
  type KeyboardEvent,
  type Ref,
  type RefObject,
  useEffect,
  useId,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react';
import buttons from './buttons.module.css';
import { FieldRow } from './fields/field-row.tsx';
import { MessageFields } from './fields/message-fields.tsx';
import { Notes } from './fields/notes.tsx';
import styles from './form.module.css';
import { EnvironmentContext, FindingsContext, type FormEnvironment, PrivateContext } from './form-context.ts';
import { findFields, listUnloadedTypes } from './model/find-fields.ts';
import { type Finding, FindingIndex, isSameFindings, withoutArms } from './model/findings.ts';
import { FormState } from './model/form-state.ts';
import type { Json, JsonObject } from './model/json.ts';
import { type PrivatePart, PrivatePlaces } from './model/private-parts.ts';
import { type PickerHandle, PickerHost } from './picker/picker-host.tsx';
import type { SchemaSource } from './schema-source.ts';
import { texts } from './texts.tsx';

const text = texts.messageForm;

export interface MessageFormHandle {
  /** Opens everything around the place and focuses it, or the nearest place in the form. Paths as in `errors`. */
  focusError(path: string): void;
  /** Opens the search over all fields. */
  search(): void;
}

export interface MessageFormProps {
  /** Full name of the message type of the document. */
  readonly type: string;
  /** The document as proto-JSON, in either spelling of the keys. Never mutated. */
  readonly value: JsonObject;
  /** Called on every keystroke and click with a new document; unchanged parts keep their identity. */
  readonly onChange: (next: JsonObject) => void;
  /** Must be the same object while the version is the same. */
  readonly source: SchemaSource;
  /** Findings of the server's check: `{ path, rule, message }`. */
  readonly errors?: readonly Finding[] | undefined;
  readonly readOnly?: boolean | undefined;
  /** Stored values that `value` omits. A value in their place replaces them; null clears them. */
  readonly privateParts?: readonly PrivatePart[] | undefined;
  /** Returns a link to a stored document. */
  readonly linkTo?: ((collection: string, name: string) => string | undefined) | undefined;
  /** The field with the document's own name, if the owner has an input for it. It is hidden while it is equal or empty. */
  readonly ownName?: { readonly field: string; readonly name: string } | undefined;
  /** Open parts and undo history, for an owner that remounts the form. Belongs to one document and type. */
  readonly state?: FormState | undefined;
  /** Accessible name of the form. */
  readonly label?: string | undefined;
  readonly ref?: Ref<MessageFormHandle> | undefined;
}

const NO_FINDINGS: readonly Finding[] = [];
const NO_BREACHES: readonly string[] = [];
const NO_PARTS: readonly PrivatePart[] = [];
/** Maximum number of messages that a search loads. */
const SEARCH_LOADS_MAX = 60;

/** Form for any Envoy message: shows the used fields and a search for the others. Controlled: the owner holds the document. */
export function MessageForm(props: MessageFormProps) {
  const { type, value } = props;
  const picker = useRef<PickerHandle>(null);
  const environment = useEnvironment(props, picker);
  const { state } = environment;
  const notesId = useId();
  const findings = useFindingIndex(props.errors ?? NO_FINDINGS);
  const places = useMemo(() => new PrivatePlaces(props.privateParts ?? NO_PARTS), [props.privateParts]);
  const hidden = hiddenField(props, findings);
  const searchButton = useRef<HTMLButtonElement>(null);
  const search = () => {
    if (searchButton.current) searchFields(environment, { anchor: searchButton.current, type, hidden });
  };
  useImperativeHandle(props.ref, () => ({ focusError: (path) => state.requestFocus(path), search }));
  return (
    <EnvironmentContext value={environment}>
      <FindingsContext value={findings}>
        <PrivateContext value={places}>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: keys that mean the same in every control of the form */}
          <div
            className={styles.form}
            data-body=""
            onKeyDown={(event) => undoOrRedo(event, environment)}
            onKeyDownCapture={() => state.endFocus()}
            onPointerDownCapture={() => state.endFocus()}
          >
            <div className={styles.toolbar}>
              <button
                type="button"
                ref={searchButton}
                className={buttons.searchButton}
                aria-haspopup="dialog"
                onClick={search}
              >
                <IconSearch size={14} aria-hidden />
                {text.form.findField}
              </button>
              <ProblemStepper findings={findings} onStep={(path) => state.requestFocus(path)} />
            </div>
            <Notes id={notesId} breaches={NO_BREACHES} findings={withoutArms(findings.at(''))} />
            <section aria-label={props.label ?? text.form.fields}>
              <MessageFields type={type} value={value} at="" hidden={hidden} />
            </section>
          </div>
          <PickerHost handle={picker} />
        </PrivateContext>
      </FindingsContext>
    </EnvironmentContext>
  );
}

/** Returns what all fields share. Binds the state to the document. */
function useEnvironment(props: MessageFormProps, picker: RefObject<PickerHandle | null>): FormEnvironment {
  const { value, source, readOnly = false } = props;
  const [own] = useState(() => new FormState(value));
  const state = props.state ?? own;
  state.bind(value, props.onChange as (next: Json) => void);
  // The owner may pass a new function on every render, which must not render every field.
  const linkTo = useRef(props.linkTo);
  linkTo.current = props.linkTo;
  return useMemo(
    () => ({
      state,
      source,
      readOnly,
      linkTo: (collection, name) => linkTo.current?.(collection, name),
      pick: (request) => picker.current?.open(request),
      Row: FieldRow,
      Fields: MessageFields,
    }),
    [state, source, readOnly, picker],
  );
}

interface FieldSearch {
  readonly anchor: HTMLElement;
  readonly type: string;
  /** A field that the form does not show. */
  readonly hidden: string | undefined;
}

/** Offers all fields of the document, and focuses the one that is picked. */
function searchFields({ source, state, pick }: FormEnvironment, { anchor, type, hidden }: FieldSearch): void {
  pick({
    anchor,
    title: text.form.search,
    options: async () => {
      const missing = listUnloadedTypes((name) => source.peek(name), type, SEARCH_LOADS_MAX);
      await Promise.allSettled(missing.map((name) => source.load(name)));
      const found = findFields((name) => source.peek(name), type, state.document);
      return hidden === undefined ? found : found.filter(({ id }) => id !== hidden);
    },
    onPick: (path) => state.requestFocus(path),
  });
}

function undoOrRedo(event: KeyboardEvent, { state, readOnly }: FormEnvironment): void {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || readOnly) return;
  const key = event.key.toLowerCase();
  const isRedo = key === 'y' || (key === 'z' && event.shiftKey);
  if (key !== 'z' && !isRedo) return;
  // The browser's own undo does not know the document.
  event.preventDefault();
  if (isRedo) state.redo();
  else state.undo();
}

function hiddenField({ ownName, value }: MessageFormProps, findings: FindingIndex): string | undefined {
  if (!ownName) return undefined;
  const written = value[ownName.field];
  const isSame = written === ownName.name && findings.at(ownName.field).length === 0;
  return written === undefined || isSame ? ownName.field : undefined;
}

/** Returns the same index while the findings are equal, so that an unchanged check renders nothing. */
function useFindingIndex(findings: readonly Finding[]): FindingIndex {
  const [index, setIndex] = useState(() => new FindingIndex(findings));
  const isCurrent = index.all === findings || isSameFindings(index.all, findings);
  const current = useMemo(() => (isCurrent ? index : new FindingIndex(findings)), [isCurrent, index, findings]);
  useEffect(() => setIndex(current), [current]);
  return current;
}

interface ProblemStepperProps {
  readonly findings: FindingIndex;
  readonly onStep: (path: string) => void;
}

function ProblemStepper({ findings, onStep }: ProblemStepperProps) {
  const next = useRef(0);
  const { all } = findings;
  if (all.length === 0) return null;
  const step = () => {
    const finding = all[next.current % all.length];
    next.current = (next.current + 1) % all.length;
    if (finding) onStep(finding.path);
  };
  return (
    <button type="button" className={buttons.problemButton} onClick={step}>
      <IconAlertTriangle size={14} aria-hidden />
      {text.problems.step(
        all.length,
        all.length === 1 ? 'problem' : 'problems',
        all.length === 1 ? 'it' : text.problems.next,
      )}
    </button>
  );
}

import { SegmentedControl, Skeleton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useMemo, useRef } from 'react';
import { call, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import type { FieldError } from '../../changes/index.ts';
import { FormState, MessageForm, type MessageFormHandle, type PrivatePart } from '../../forms/index.ts';
import { Notice, Problem, State } from '../../ui/index.ts';
import type { CollectionName } from './collection-texts.ts';
import { ownNameOf, type ResourceDraft } from './draft-model.ts';
import { useSchema } from './schema-store.ts';
import { texts } from './texts.tsx';
import classes from './workbench.module.css';

const words = texts.workbench;

const CodeView = lazy(async () => ({ default: (await import('./code-view.tsx')).CodeView }));

export interface WorkbenchProps {
  readonly collection: CollectionName;
  readonly version: string;
  readonly type: string;
  /** Name of the document; empty before it is entered. */
  readonly name: string;
  readonly draft: ResourceDraft;
  readonly onChange: (draft: ResourceDraft) => void;
  readonly privateParts?: readonly PrivatePart[];
  /** Errors of the last attempt to save. */
  readonly refused?: readonly FieldError[];
  readonly readOnly?: boolean;
  /** Whether nothing was entered yet: missing fields are not reported then. */
  readonly isUntouched?: boolean;
}

type View = 'form' | 'yaml' | 'json';

const CHECK_GATHER_MS = 350;
const FINDINGS_SHOWN_MAX = 8;
const NO_ERRORS: readonly FieldError[] = [];

/** Form and code: two views of one document, checked while the user types. */
export function Workbench(props: WorkbenchProps) {
  const { collection, version, type, draft, onChange, refused = NO_ERRORS, readOnly = false } = props;
  const project = useProject();
  const url = useUrlState();
  const source = useSchema(version);
  const form = useRef<MessageFormHandle>(null);
  // Keeps the state of the form while the code is shown.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another type is another form
  const formState = useMemo(() => new FormState(draft.resource), [version, type]);
  const view = toView(url.get('view'));
  const check = useCheck(props);

  // The form cannot show an invalid text.
  const broken = draft.brokenText;
  const shown: View = broken ? broken.language : view;
  const schema = useQuery({
    queryKey: ['schema-ready', version, type],
    queryFn: async () => (await source.load(type)) ?? null,
    // The message is cached, so that the form renders with the page.
    initialData: () => source.peek(type),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { errors, warnings, missing } = check;
  // The name input above the form reports itself as required.
  const unasked = props.name === '' ? ownNameOf(collection, '')?.field : undefined;
  const all = useMemo(() => {
    // The check and the refusal may describe the same problem in different words.
    const known = new Set([...errors, ...missing].map(({ path, rule }) => `${path} ${rule}`));
    const found = [...errors, ...missing, ...refused.filter(({ path, rule }) => !known.has(`${path} ${rule}`))];
    return found.filter(({ path }) => path !== unasked);
  }, [errors, missing, refused, unasked]);
  const inCode = useMemo(
    () => [...all, ...warnings.map((warning) => ({ ...warning, severity: 'warning' as const }))],
    [all, warnings],
  );

  const goTo = (path: string) => {
    if (shown === 'form') form.current?.focusError(path);
    else url.set({ view: undefined });
  };

  return (
    <div className={classes.workbench}>
      <div className={classes.bar}>
        <SegmentedControl
          size="xs"
          aria-label={words.bench.view}
          data={[
            { value: 'form', label: words.bench.form, disabled: broken !== undefined },
            { value: 'yaml', label: words.bench.yaml, disabled: broken?.language === 'json' },
            { value: 'json', label: words.bench.json, disabled: broken?.language === 'yaml' },
          ]}
          value={shown}
          onChange={(next) => url.set({ view: next === 'form' ? undefined : next })}
        />
        <span className={classes.grow} />
        <CheckState
          check={broken?.isUnread ? { ...check, isIdle: false, isBusy: true } : check}
          errors={all.length}
          isBroken={broken !== undefined && !broken.isUnread}
        />
      </div>
      {schema.isError ? (
        <Problem error={schema.error} what={words.bench.schemaFailed(version)} onRetry={() => void schema.refetch()} />
      ) : schema.isPending ? (
        <Skeleton height={320} aria-busy="true" />
      ) : schema.data === null ? (
        <Notice tone="bad" title={words.bench.unknownType(version, type)}>
          {words.bench.chooseAnother}
        </Notice>
      ) : shown === 'form' ? (
        <MessageForm
          ref={form}
          state={formState}
          type={type}
          value={draft.resource}
          onChange={(resource) => onChange({ ...draft, resource })}
          source={source}
          errors={all}
          readOnly={readOnly}
          privateParts={props.privateParts}
          ownName={ownNameOf(collection, props.name)}
          label={words.bench.formOf(props.name || words.bench.newDocument)}
          linkTo={(to, name) =>
            `/p/${encodeURIComponent(project.name)}/resources/${to}/${version}/${encodeURIComponent(name)}`
          }
        />
      ) : (
        <Suspense fallback={<Skeleton height={360} aria-busy="true" />}>
          <CodeView
            key={`${collection} ${version} ${type}`}
            type={type}
            source={source}
            language={shown}
            draft={draft}
            onChange={onChange}
            errors={inCode}
            readOnly={readOnly}
          />
        </Suspense>
      )}
      {/* Below the editor, so that it moves nothing while it appears and disappears. */}
      {all.length > 0 && (
        <Notice tone="bad" title={words.bench.errors(all.length)}>
          <ul className={classes.findings}>
            {all.slice(0, FINDINGS_SHOWN_MAX).map((error) => (
              <li key={`${error.path} ${error.message}`}>
                <button type="button" className={classes.finding} onClick={() => goTo(error.path)}>
                  <span className="mono">{error.path || 'document'}</span> {error.message}
                </button>
              </li>
            ))}
            {all.length > FINDINGS_SHOWN_MAX && <li>{words.bench.andMore(all.length - FINDINGS_SHOWN_MAX)}</li>}
          </ul>
        </Notice>
      )}
    </div>
  );
}

function toView(text: string | undefined): View {
  return text === 'yaml' || text === 'json' ? text : 'form';
}

interface Check {
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
function useCheck({ collection, version, type, name, draft, readOnly, isUntouched }: WorkbenchProps): Check {
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

function CheckState({ check, errors, isBroken }: { check: Check; errors: number; isBroken: boolean }) {
  if (isBroken) return <State word={words.check.unreadable} tone="warn" shape="triangle" />;
  if (check.failure)
    return <State word={words.check.notChecked} tone="warn" shape="triangle" why={words.check.whyNotChecked} />;
  if (check.isIdle) return null;
  if (check.isBusy) return <State word={words.check.checking} tone="busy" shape="arc" />;
  if (errors > 0) return <State word={words.check.errors(errors)} tone="bad" shape="triangle" />;
  if (check.warnings.length > 0)
    return (
      <State
        word={words.check.warnings(check.warnings.length)}
        tone="warn"
        shape="triangle"
        why={check.warnings.map(({ path, message }) => `${path} ${message}`).join('; ')}
      />
    );
  return <State word={words.check.checked} tone="good" shape="full" />;
}

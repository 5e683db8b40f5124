import { SegmentedControl, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useMemo, useRef } from 'react';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import type { FieldError } from '../../changes/index.ts';
import { FormState, MessageForm, type MessageFormHandle, type PrivatePart } from '../../forms/index.ts';
import { Notice, Problem, State } from '../../ui/index.ts';
import { ownNameOf, type ResourceDraft } from './draft-model.ts';
import { useSchema } from './schema-store.ts';
import { texts } from './texts.tsx';
import { type Check, type CheckedDraft, useCheck, useErrors } from './use-check.ts';
import classes from './workbench.module.css';

const words = texts.workbench;

const CodeView = lazy(async () => ({ default: (await import('./code-view.tsx')).CodeView }));

export interface WorkbenchProps extends CheckedDraft {
  readonly onChange: (draft: ResourceDraft) => void;
  readonly privateParts?: readonly PrivatePart[];
}

type View = 'form' | 'yaml' | 'json';

const FINDINGS_SHOWN_MAX = 8;

/** Form and code: two views of one document, checked while the user types. */
export function Workbench(props: WorkbenchProps) {
  const { collection, version, type, draft, onChange, readOnly = false } = props;
  const project = useProject();
  const url = useUrlState();
  const source = useSchema(version);
  const form = useRef<MessageFormHandle>(null);
  // Keeps the state of the form while the code is shown.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another type is another form
  const formState = useMemo(() => new FormState(draft.resource), [version, type]);
  const check = useCheck(props);
  const errors = useErrors(check, props);
  const inCode = useMemo(
    () => [...errors, ...check.warnings.map((warning) => ({ ...warning, severity: 'warning' as const }))],
    [errors, check.warnings],
  );
  // The form cannot show an invalid text.
  const shown: View = draft.brokenText?.language ?? toView(url.get('view'));
  const goTo = (path: string) => {
    if (shown === 'form') form.current?.focusError(path);
    else url.set({ view: undefined });
  };
  return (
    <div className={classes.workbench}>
      <WorkbenchBar shown={shown} draft={draft} check={check} errors={errors.length} />
      <WithSchema version={version} type={type}>
        {shown === 'form' ? (
          <MessageForm
            ref={form}
            state={formState}
            type={type}
            value={draft.resource}
            onChange={(resource) => onChange({ ...draft, resource })}
            source={source}
            errors={errors}
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
              {...{ type, source, draft, onChange, readOnly }}
              language={shown}
              errors={inCode}
            />
          </Suspense>
        )}
      </WithSchema>
      {/* Below the editor, so that it moves nothing while it appears and disappears. */}
      {errors.length > 0 && <Findings errors={errors} onGo={goTo} />}
    </div>
  );
}

function toView(text: string | undefined): View {
  return text === 'yaml' || text === 'json' ? text : 'form';
}

/** Shows the content when the schema of the type is loaded, so that the form renders with the page. */
function WithSchema({ version, type, children }: { version: string; type: string; children: ReactNode }) {
  const source = useSchema(version);
  const schema = useQuery({
    queryKey: ['schema-ready', version, type],
    queryFn: async () => (await source.load(type)) ?? null,
    // The message is cached.
    initialData: () => source.peek(type),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (schema.isError)
    return (
      <Problem error={schema.error} what={words.bench.schemaFailed(version)} onRetry={() => void schema.refetch()} />
    );
  if (schema.isPending) return <Skeleton height={320} aria-busy="true" />;
  if (schema.data === null)
    return (
      <Notice tone="bad" title={words.bench.unknownType(version, type)}>
        {words.bench.chooseAnother}
      </Notice>
    );
  return children;
}

interface WorkbenchBarProps {
  readonly shown: View;
  readonly draft: ResourceDraft;
  readonly check: Check;
  readonly errors: number;
}

function WorkbenchBar({ shown, draft: { brokenText: broken }, check, errors }: WorkbenchBarProps) {
  const url = useUrlState();
  return (
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
        errors={errors}
        isBroken={broken !== undefined && !broken.isUnread}
      />
    </div>
  );
}

function Findings({ errors, onGo }: { errors: readonly FieldError[]; onGo: (path: string) => void }) {
  return (
    <Notice tone="bad" title={words.bench.errors(errors.length)}>
      <ul className={classes.findings}>
        {errors.slice(0, FINDINGS_SHOWN_MAX).map((error) => (
          <li key={`${error.path} ${error.message}`}>
            <button type="button" className={classes.finding} onClick={() => onGo(error.path)}>
              <span className="mono">{error.path || 'document'}</span> {error.message}
            </button>
          </li>
        ))}
        {errors.length > FINDINGS_SHOWN_MAX && <li>{words.bench.andMore(errors.length - FINDINGS_SHOWN_MAX)}</li>}
      </ul>
    </Notice>
  );
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

import type { Explanation, PolicySource, PolicyWarning } from '@flotilla/contract';
import { Autocomplete, Button, Menu, Textarea, TextInput } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { type FormEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import { ApiError, call, routes } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { Empty, Notice, Problem } from '../../../ui/index.ts';
import { toPolicyErrors } from '../editing/policy-errors.ts';
import { texts } from './texts.tsx';
import classes from './trial.module.css';
import {
  findBadHeaders,
  fromSearch,
  isTarget,
  METHODS,
  type TrialDraft,
  toSearch,
  toTrialRequest,
} from './trial-draft.ts';
import type { TrialExample } from './trial-examples.ts';
import { TrialResult } from './trial-result.tsx';

const text = texts.trialPanel;

interface TrialPanelProps {
  readonly policies: PolicySource;
  readonly examples: readonly TrialExample[];
  /** Headers and parameters whose values never go into the URL. */
  readonly secretNames: readonly string[];
}

type Outcome =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'explained';
      readonly explanation: Explanation;
      readonly warnings: readonly PolicyWarning[];
      readonly policies: PolicySource;
      readonly draft: TrialDraft;
    }
  | { readonly kind: 'failed'; readonly error: unknown };

const NOTHING: Outcome = { kind: 'none' };

/** Tries a request against policies without sending it. Runs on Enter in an input, or Ctrl-Enter in a text area. */
export function TrialPanel({ policies, examples, secretNames }: TrialPanelProps) {
  const { draft, setDraft, outcome, isBusy, run } = useTrial({ policies, examples, secretNames });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (canTry(draft)) void run(draft);
  };
  const choose = ({ draft: chosen }: TrialExample) => {
    setDraft(chosen);
    void run(chosen);
  };
  return (
    <div className={classes.panel}>
      <form
        className={classes.request}
        aria-label={text.form.title}
        onSubmit={submit}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
        }}
      >
        <RequestFields draft={draft} onChange={(part) => setDraft((before) => ({ ...before, ...part }))} />
        <div className={classes.actions}>
          <Button type="submit" loading={isBusy} disabled={!canTry(draft)}>
            {text.form.try}
          </Button>
          {examples.length > 0 && <Examples examples={examples} onChoose={choose} />}
          <span className={classes.dimmed}>{text.form.nothingIsSent}</span>
        </div>
      </form>
      <div className={classes.outcome} aria-live="polite">
        <OutcomeView outcome={outcome} policies={policies} draft={draft} />
      </div>
    </div>
  );
}

function canTry({ url, headers }: TrialDraft): boolean {
  return isTarget(url) && findBadHeaders(headers).length === 0;
}

/** The request of the trial and its outcome. A new run aborts the previous one. */
function useTrial({ policies, examples, secretNames }: TrialPanelProps) {
  const project = useProject();
  const url = useUrlState();
  const [draft, setDraft] = useState<TrialDraft>(() => {
    const asked = fromSearch(url.get, url.all);
    return asked.url === '' ? (examples[0]?.draft ?? asked) : asked;
  });
  const [outcome, setOutcome] = useState<Outcome>(NOTHING);
  const [isBusy, setBusy] = useState(false);
  const running = useRef<AbortController>(undefined);
  const run = async (wanted: TrialDraft) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setBusy(true);
    url.set(toSearch(wanted, secretNames));
    try {
      const { body } = await call(
        routes.shieldTrial.try,
        { query: { project: project.id }, body: { policies, request: toTrialRequest(wanted) } },
        { signal: controller.signal },
      );
      setOutcome({ kind: 'explained', explanation: body, warnings: body.warnings, policies, draft: wanted });
    } catch (error) {
      if (!controller.signal.aborted) setOutcome({ kind: 'failed', error });
    } finally {
      if (running.current === controller) setBusy(false);
    }
  };
  // A link to a request runs the trial at once.
  const answerLink = useEffectEvent(() => {
    if (url.get('url') !== undefined && canTry(draft)) void run(draft);
  });
  useEffect(() => {
    answerLink();
    return () => running.current?.abort();
  }, []);
  return { draft, setDraft, outcome, isBusy, run };
}

interface RequestFieldsProps {
  readonly draft: TrialDraft;
  readonly onChange: (part: Partial<TrialDraft>) => void;
}

function RequestFields({ draft, onChange: change }: RequestFieldsProps) {
  const badHeaders = findBadHeaders(draft.headers);
  const isBadUrl = draft.url.trim() !== '' && !isTarget(draft.url);
  return (
    <>
      <div className={classes.target}>
        <Autocomplete
          label={text.form.method}
          data={[...METHODS]}
          value={draft.method}
          onChange={(method) => change({ method: method.toUpperCase() })}
        />
        <TextInput
          label={text.form.url}
          placeholder={text.form.urlExample}
          value={draft.url}
          required
          withAsterisk={false}
          spellCheck={false}
          error={isBadUrl ? text.form.badUrl : undefined}
          onChange={(event) => change({ url: event.currentTarget.value })}
        />
      </div>
      <Textarea
        label={text.form.headers}
        description={text.form.headersHint}
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
        value={draft.headers}
        error={badHeaders.length > 0 ? text.form.badHeaders(badHeaders.join(', ')) : undefined}
        classNames={{ input: classes.code ?? '' }}
        onChange={(event) => change({ headers: event.currentTarget.value })}
      />
      <Textarea
        label={text.form.body}
        autosize
        minRows={2}
        maxRows={14}
        spellCheck={false}
        value={draft.body}
        classNames={{ input: classes.code ?? '' }}
        onChange={(event) => change({ body: event.currentTarget.value })}
      />
      <TextInput
        label={text.form.sourceAddress}
        description={text.form.sourceAddressHint}
        placeholder="203.0.113.7"
        value={draft.sourceIp}
        onChange={(event) => change({ sourceIp: event.currentTarget.value })}
      />
    </>
  );
}

interface OutcomeViewProps {
  readonly outcome: Outcome;
  /** The current policies; the result may be from earlier ones. */
  readonly policies: PolicySource;
  readonly draft: TrialDraft;
}

function OutcomeView({ outcome, policies, draft }: OutcomeViewProps) {
  if (outcome.kind === 'none') return <Empty title={text.outcome.emptyTitle}>{text.outcome.empty}</Empty>;
  if (outcome.kind === 'failed') {
    const errors = outcome.error instanceof ApiError ? toPolicyErrors(outcome.error) : undefined;
    if (errors)
      return (
        <Notice tone="bad" title={text.outcome.policyRefused}>
          <ul className={classes.list}>
            {errors.slice(0, 5).map(({ line, path, message }) => (
              <li key={`${line} ${path} ${message}`}>
                {line !== undefined && <strong>{text.outcome.atLine(line)}</strong>}
                <span className="mono">{path}</span> {message}
              </li>
            ))}
          </ul>
        </Notice>
      );
    return <Problem error={outcome.error} what={text.outcome.failed} />;
  }
  return (
    <>
      {JSON.stringify(outcome.policies) !== JSON.stringify(policies) && (
        <Notice tone="warn" title={text.outcome.policyChanged}>
          {text.outcome.policyChangedText}
        </Notice>
      )}
      {JSON.stringify(outcome.draft) !== JSON.stringify(draft) && (
        <Notice tone="quiet" title={text.outcome.requestChanged}>
          {text.outcome.requestChangedText(
            <bdi className="mono">{`${outcome.draft.method} ${outcome.draft.url}`}</bdi>,
          )}
        </Notice>
      )}
      <TrialResult explanation={outcome.explanation} isDraft={'draft' in outcome.policies} />
      {outcome.warnings.length > 0 && (
        <details>
          <summary className={classes.more}>{text.outcome.summary(outcome.warnings.length)}</summary>
          <ul className={classes.list}>
            {outcome.warnings.map(({ file, line, field, message }) => (
              <li key={`${file} ${line} ${field} ${message}`}>
                {text.outcome.warning(<bdi>{file}</bdi>, line, <span className="mono">{field}</span>, message)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

interface ExamplesProps {
  readonly examples: readonly TrialExample[];
  readonly onChoose: (example: TrialExample) => void;
}

function Examples({ examples, onChoose }: ExamplesProps) {
  return (
    <Menu position="bottom-start" shadow="md">
      <Menu.Target>
        <Button variant="default" rightSection={<IconChevronDown size={13} />}>
          {text.examples.title}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {examples.map((example) => (
          <Menu.Item key={example.label} onClick={() => onChoose(example)}>
            <bdi className="mono">{example.label}</bdi>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

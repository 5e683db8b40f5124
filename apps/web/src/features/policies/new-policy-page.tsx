import { Button, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { invalidate, routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { beforeNothing, type ChangePlan, ReviewDialog, useDraft } from '../../changes/index.ts';
import { Empty, Loaded, Notice, Page, Problem, sayDone } from '../../ui/index.ts';
import { CheckState } from './editing/check-state.tsx';
import classes from './editing/editing.module.css';
import { toPolicyChange } from './editing/policy-change.ts';
import { PolicyFields } from './editing/policy-fields.tsx';
import { findRawKeys, withoutRawKeys } from './editing/raw-keys.ts';
import { StarterChoice } from './editing/starter-choice.tsx';
import { makeKey, STARTERS, withName } from './editing/starters.ts';
import { texts as policiesEditingTexts } from './editing/texts.tsx';
import { useLeaveGuard } from './editing/use-leave-guard.ts';
import { usePolicyCheck } from './editing/use-policy-check.ts';
import { findWarnings } from './editing/warnings.ts';
import { writePolicy } from './editing/write-policy.ts';
import { type Policy, type PolicyContent, toContent, toCopy } from './model.ts';
import { ReplaySection } from './replay/replay-section.tsx';
import { texts } from './texts.tsx';

const words = texts.newPolicyPage;
/** Aligns adjacent inputs, however long their hints are. */
const HINT_BELOW = ['label', 'input', 'description', 'error'] as const;

/** `?from=` copies a policy; `?starter=` selects a template. */
export function NewPolicyPage() {
  const project = useProject();
  const can = useCan();
  const from = useUrlState().get('from');
  const source = useApi(
    routes.policy.get,
    { params: { name: from ?? '' }, query: { project: project.id } },
    { enabled: from !== undefined },
  );
  return (
    <Page
      title={from === undefined ? words.page.title : words.page.titleOfCopy(from)}
      trail={[
        <Link key="policies" to="/p/$project/policies" params={{ project: project.name }}>
          {texts.policyPage.page.policies}
        </Link>,
      ]}
      lead={words.page.lead}
    >
      {!can(routes.policy.create) ? (
        <Empty title={words.page.notAllowed}>{words.page.whomToAsk}</Empty>
      ) : from === undefined ? (
        <NewPolicy />
      ) : (
        <Loaded query={source} what={words.page.what} skeleton={12}>
          {({ body }) => <NewPolicy source={body} />}
        </Loaded>
      )}
    </Page>
  );
}

/** The draft as the browser stores it: with its raw keys emptied. */
interface KeptPolicy {
  readonly name: string;
  readonly text: string;
  readonly description: string;
}

function NewPolicy({ source }: { source?: Policy }) {
  const project = useProject();
  const url = useUrlState();
  const navigate = useNavigate();
  const client = useQueryClient();
  const draft = useDraft<KeptPolicy>(`new policy ${project.id}`);
  const kept = source ? undefined : draft.value;
  const [name, setName] = useState(source ? `${source.name}-copy` : (kept?.name ?? ''));
  const [host, setHost] = useState('api.example.com');
  const [key] = useState(makeKey);
  const [typed, setTyped] = useState<PolicyContent | undefined>(
    source
      ? { ...toCopy(toContent(source)), text: withName(source.text, `${source.name}-copy`) }
      : kept && { text: kept.text, description: kept.description, files: [] },
  );
  const starter = STARTERS.find(({ id }) => id === url.get('starter')) ?? STARTERS[0];
  const made = starter?.make({ name: name || 'name', host: host || '*', key }) ?? '';
  const content = useMemo(() => typed ?? { text: made, description: '', files: [] }, [typed, made]);
  const check = usePolicyCheck({ project: project.id, name, ifMatch: undefined }, content, name !== '');
  const [plan, setPlan] = useState<ChangePlan>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  // Copies are not stored as drafts; raw keys and files never are.
  const isLostOnLeave =
    source !== undefined || (typed !== undefined && (typed.files.length > 0 || findRawKeys(typed.text).length > 0));
  useLeaveGuard(isLostOnLeave);

  const keep = (next: PolicyContent, under: string) => {
    setTyped(next);
    const text = source ? undefined : withoutRawKeys(next.text);
    if (text !== undefined) draft.set({ name: under, text, description: next.description });
  };
  const rename = (next: string) => {
    setName(next);
    if (typed) keep(next === '' ? typed : { ...typed, text: withName(typed.text, next) }, next);
  };
  const startAnew = () => {
    setTyped(undefined);
    draft.clear();
  };
  const target = { project: project.id, name, ifMatch: undefined };
  const review = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const { body: planned } = await writePolicy(target, content, { dryRun: true });
      setPlan({
        change: toPolicyChange({ before: '', after: planned.text, beforeLabel: beforeNothing, diff: planned.diff }),
        reach: { nodes: [], services: undefined },
        warnings: findWarnings('', planned.text, planned.replaced_keys ?? 0),
      });
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const create = async () => {
    const { body: stored } = await writePolicy(target, content, { dryRun: false });
    draft.clear();
    sayDone(words.form.done(stored.name));
    await navigate({
      to: '/p/$project/policies/$name',
      params: { project: project.name, name: stored.name },
      search: { saved: '1', ...(stored.replaced_keys && { keys: String(stored.replaced_keys) }) },
      ignoreBlocker: true,
    });
    await invalidate(client, routes.policy.list);
  };
  return (
    <div className={classes.fields}>
      {kept && draft.isRestored && (
        <Notice tone="busy" title={words.form.restored}>
          {words.form.rawKeysNotKept}
        </Notice>
      )}
      {source?.files.some((file) => 'secret' in file) && <Notice tone="busy" title={words.form.secretFilesNotCopied} />}
      <div className={classes.about}>
        <TextInput
          label={words.form.name}
          description={words.form.nameHint}
          inputWrapperOrder={[...HINT_BELOW]}
          required
          maxLength={128}
          value={name}
          onChange={(event) => rename(event.currentTarget.value)}
          data-autofocus
        />
        {!typed && (
          <TextInput
            label={words.form.host}
            description={words.form.hostHint}
            inputWrapperOrder={[...HINT_BELOW]}
            value={host}
            onChange={(event) => setHost(event.currentTarget.value)}
          />
        )}
      </div>
      {!typed && <StarterChoice chosen={starter?.id} onChoose={(id) => url.set({ starter: id })} />}
      <PolicyFields content={content} onChange={(next) => keep(next, name)} check={check} />
      {error !== undefined && (
        <Problem error={error} what={words.form.failed} still={policiesEditingTexts.editTab.nothingLost} />
      )}
      <div className={classes.foot}>
        <Button loading={isBusy} disabled={name === '' || check.state === 'bad'} onClick={() => void review()}>
          {words.form.review}
        </Button>
        {typed && !source && (
          <Button variant="subtle" color="gray" onClick={startAnew}>
            {words.form.backToStarter}
          </Button>
        )}
        {name === '' ? <span className={classes.dimmed}>{words.form.nameMissing}</span> : <CheckState check={check} />}
      </div>
      <ReviewDialog
        title={words.form.question(name)}
        plan={plan}
        action={words.form.action}
        onApply={create}
        onClose={() => setPlan(undefined)}
      >
        {plan && (
          <ReplaySection
            candidate={{ draft: { text: content.text, files: [...content.files] } }}
            baseline={undefined}
            onTry={undefined}
          />
        )}
      </ReviewDialog>
    </div>
  );
}

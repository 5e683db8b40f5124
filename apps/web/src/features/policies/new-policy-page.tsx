import { Button, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { invalidate, routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { beforeNothing, ReviewDialog, useReviewedSave } from '../../changes/index.ts';
import { Empty, Loaded, Notice, Page, Problem, sayDone } from '../../ui/index.ts';
import { CheckState } from './editing/check-state.tsx';
import classes from './editing/editing.module.css';
import { toPolicyChange } from './editing/policy-change.ts';
import { PolicyFields } from './editing/policy-fields.tsx';
import { StarterChoice } from './editing/starter-choice.tsx';
import { texts as policiesEditingTexts } from './editing/texts.tsx';
import { type NewPolicyDraft, useNewPolicy } from './editing/use-new-policy.ts';
import { usePolicyCheck } from './editing/use-policy-check.ts';
import { findWarnings } from './editing/warnings.ts';
import { writePolicy } from './editing/write-policy.ts';
import type { Policy } from './model.ts';
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

function NewPolicy({ source }: { readonly source?: Policy }) {
  const policy = useNewPolicy(source);
  const { name, content } = policy;
  const check = usePolicyCheck(policy.target, content, name !== '');
  const creation = useCreation(policy);
  return (
    <div className={classes.fields}>
      {policy.isRestored && (
        <Notice tone="busy" title={words.form.restored}>
          {words.form.rawKeysNotKept}
        </Notice>
      )}
      {source?.files.some((file) => 'secret' in file) && <Notice tone="busy" title={words.form.secretFilesNotCopied} />}
      <StartFields policy={policy} />
      <PolicyFields content={content} onChange={policy.change} check={check} />
      {creation.error !== undefined && (
        <Problem error={creation.error} what={words.form.failed} still={policiesEditingTexts.editTab.nothingLost} />
      )}
      <div className={classes.foot}>
        <Button
          loading={creation.isBusy}
          disabled={name === '' || check.state === 'bad'}
          onClick={() => void creation.review()}
        >
          {words.form.review}
        </Button>
        {policy.isTyped && !source && (
          <Button variant="subtle" color="gray" onClick={policy.discard}>
            {words.form.backToStarter}
          </Button>
        )}
        {name === '' ? <span className={classes.dimmed}>{words.form.nameMissing}</span> : <CheckState check={check} />}
      </div>
      <ReviewDialog
        title={words.form.question(name)}
        plan={creation.plan}
        action={words.form.action}
        onApply={creation.save}
        onClose={creation.close}
      >
        {creation.plan && (
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

/** Name and, until the user types a text, the template and its host. */
function StartFields({ policy }: { readonly policy: NewPolicyDraft }) {
  const url = useUrlState();
  return (
    <>
      <div className={classes.about}>
        <TextInput
          label={words.form.name}
          description={words.form.nameHint}
          inputWrapperOrder={[...HINT_BELOW]}
          required
          maxLength={128}
          value={policy.name}
          onChange={(event) => policy.rename(event.currentTarget.value)}
          data-autofocus
        />
        {!policy.isTyped && (
          <TextInput
            label={words.form.host}
            description={words.form.hostHint}
            inputWrapperOrder={[...HINT_BELOW]}
            value={policy.host}
            onChange={(event) => policy.setHost(event.currentTarget.value)}
          />
        )}
      </div>
      {!policy.isTyped && <StarterChoice chosen={policy.starter?.id} onChoose={(id) => url.set({ starter: id })} />}
    </>
  );
}

/** Review and creation of the policy. */
function useCreation({ target, content, forget }: NewPolicyDraft) {
  const project = useProject();
  const navigate = useNavigate();
  const client = useQueryClient();
  return useReviewedSave({
    plan: async () => {
      const { body: planned } = await writePolicy(target, content, { dryRun: true });
      return {
        change: toPolicyChange({ before: '', after: planned.text, beforeLabel: beforeNothing, diff: planned.diff }),
        reach: { nodes: [], services: undefined },
        warnings: findWarnings('', planned.text, planned.replaced_keys ?? 0),
      };
    },
    save: async () => {
      const { body: stored } = await writePolicy(target, content, { dryRun: false });
      forget();
      sayDone(words.form.done(stored.name));
      await navigate({
        to: '/p/$project/policies/$name',
        params: { project: project.name, name: stored.name },
        search: { saved: '1', ...(stored.replaced_keys && { keys: String(stored.replaced_keys) }) },
        ignoreBlocker: true,
      });
      await invalidate(client, routes.policy.list);
    },
  });
}

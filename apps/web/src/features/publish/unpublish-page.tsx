import { Button, TagsInput, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { ApiError, routes } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { Empty, Page, Problem } from '../../ui/index.ts';
import classes from './publish.module.css';
import { DocumentSelect } from './publish-choices.tsx';
import { texts } from './texts.tsx';
import { UnpublishDone } from './unpublish-done.tsx';
import { UnpublishReview } from './unpublish-review.tsx';
import { type Unpublishing, useUnpublish } from './use-unpublish.ts';

const text = texts.unpublish;
const ORDER: ['label', 'input', 'error', 'description'] = ['label', 'input', 'error', 'description'];

export function UnpublishPage() {
  const project = useProject();
  const can = useCan();
  const services = (
    <Link key="services" to="/p/$project/services" params={{ project: project.name }}>
      {texts.page.services}
    </Link>
  );
  return (
    <Page title={text.title} trail={[services]} lead={text.lead}>
      {can(routes.publish.unpublish) ? <Unpublish /> : <Empty title={text.notAllowed}>{text.whomToAsk}</Empty>}
    </Page>
  );
}

/** The form, whose fields are in the URL, the review (`?step=review`) and the progress. */
function Unpublish() {
  const unpublishing = useUnpublish();
  const url = useUrlState();
  const { plan, removed, problem } = unpublishing;
  if (removed) return <UnpublishDone removed={removed} onAnother={unpublishing.restart} />;
  const isReviewing = url.get('step') === 'review' && plan !== undefined;
  return (
    <>
      {isReviewing ? (
        <UnpublishReview
          plan={plan}
          isBusy={unpublishing.isBusy}
          onUnpublish={() => void unpublishing.unpublish()}
          onBack={() => url.set({ step: undefined })}
        />
      ) : (
        <UnpublishForm unpublishing={unpublishing} />
      )}
      {problem !== undefined && (
        <Problem error={problem} what={problem instanceof ApiError ? text.failed : texts.page.unknownOutcome} />
      )}
    </>
  );
}

function UnpublishForm({ unpublishing: { draft, errors, change, review, isBusy } }: { unpublishing: Unpublishing }) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void review();
  };
  return (
    <form className={classes.form} noValidate aria-label={text.label} onSubmit={submit}>
      <TagsInput
        label={text.hosts}
        description={text.hostsHint}
        inputWrapperOrder={ORDER}
        withAsterisk
        splitChars={[',', ' ']}
        value={[...draft.hosts]}
        error={errors.hosts}
        onChange={(hosts) => change({ host: hosts })}
      />
      <div className={classes.row}>
        <TextInput
          label={text.path}
          description={text.pathHint}
          inputWrapperOrder={ORDER}
          value={draft.path}
          error={errors.path}
          onChange={(event) => change({ path: event.currentTarget.value })}
        />
        <DocumentSelect
          collection="listeners"
          label={text.listener}
          empty={text.everyListener}
          value={draft.listener}
          error={undefined}
          onChange={(listener) => change({ listener: listener ?? undefined })}
        />
      </div>
      <div className={classes.foot}>
        <Button type="submit" loading={isBusy}>
          {text.review}
        </Button>
      </div>
    </form>
  );
}

import { Button, NumberInput, Select, TagsInput, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef } from 'react';
import { usesTls } from './draft.ts';
import classes from './publish.module.css';
import { ClientsSelect, DocumentSelect, PolicySelect, useOnlyClient } from './publish-choices.tsx';
import { texts } from './texts.tsx';
import type { Publishing } from './use-publish.ts';

const text = texts.form;
const ORDER: ['label', 'input', 'error', 'description'] = ['label', 'input', 'error', 'description'];
const LINES_MAX = 12;

export function PublishForm({ publishing, onReview }: { publishing: Publishing; onReview: () => Promise<boolean> }) {
  const { draft, errors, change, isBusy } = publishing;
  const form = useRef<HTMLFormElement>(null);
  const only = useOnlyClient();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the client becomes known
  useEffect(() => {
    if (only !== undefined && draft.clients.length === 0 && draft.listener === null) change({ clients: [only] });
  }, [only]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await onReview()) return;
    // Moves the focus to the first invalid field, once it is marked.
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  return (
    <form
      ref={form}
      className={classes.form}
      noValidate
      aria-label={text.label}
      onSubmit={(event) => void submit(event)}
    >
      <UpstreamFields publishing={publishing} />
      <ListenerFields publishing={publishing} />
      <div className={classes.row}>
        <ClientsSelect
          chosen={draft.clients}
          isOptional={draft.listener !== null}
          error={errors.clients}
          onChange={(clients) => change({ clients })}
        />
        <PolicySelect value={draft.policy} error={errors.policy} onChange={(policy) => change({ policy })} />
      </div>
      <MoreFields publishing={publishing} />
      <div className={classes.foot}>
        <Button type="submit" loading={isBusy}>
          {text.review}
        </Button>
      </div>
    </form>
  );
}

function UpstreamFields({ publishing: { draft, errors, change } }: { publishing: Publishing }) {
  return (
    <>
      <Textarea
        label={text.upstreams}
        description={text.upstreamsHint}
        inputWrapperOrder={ORDER}
        withAsterisk
        autosize
        minRows={1}
        maxRows={LINES_MAX}
        classNames={{ input: 'mono' }}
        value={draft.upstreams}
        error={errors.upstreams}
        onChange={(event) => change({ upstreams: event.currentTarget.value })}
        autoComplete="off"
        spellCheck={false}
      />
      <div className={classes.row}>
        <TagsInput
          label={text.hosts}
          description={text.hostsHint}
          inputWrapperOrder={ORDER}
          withAsterisk
          splitChars={[',', ' ']}
          value={[...draft.hosts]}
          error={errors.hosts}
          onChange={(hosts) => change({ hosts })}
        />
        <TextInput
          label={text.path}
          description={text.pathHint}
          inputWrapperOrder={ORDER}
          value={draft.path}
          error={errors.path}
          onChange={(event) => change({ path: event.currentTarget.value })}
        />
      </div>
    </>
  );
}

function ListenerFields({ publishing: { draft, errors, change } }: { publishing: Publishing }) {
  return (
    <>
      <DocumentSelect
        collection="listeners"
        label={text.listener}
        empty={text.newListener}
        value={draft.listener}
        error={errors.listener}
        onChange={(listener) => change({ listener })}
      />
      {draft.listener === null && (
        <div className={classes.row}>
          <NumberInput
            label={text.port}
            withAsterisk
            min={1}
            max={65_535}
            allowDecimal={false}
            clampBehavior="strict"
            hideControls
            value={draft.port ?? ''}
            error={errors.port}
            onChange={(value) => change({ port: value === '' ? undefined : Number(value) })}
          />
          <Select
            label={text.address}
            description={text.addressHint}
            inputWrapperOrder={ORDER}
            data={['0.0.0.0', '127.0.0.1', '::', '::1']}
            allowDeselect={false}
            value={draft.address}
            error={errors.address}
            onChange={(address) => change({ address: address ?? '0.0.0.0' })}
          />
          <DocumentSelect
            collection="secrets"
            label={text.certificate}
            description={text.certificateHint}
            value={draft.certificate}
            error={errors.certificate}
            onChange={(certificate) => change({ certificate })}
          />
        </div>
      )}
    </>
  );
}

function MoreFields({ publishing: { draft, errors, change } }: { publishing: Publishing }) {
  return (
    <details className={classes.more}>
      <summary>{text.more}</summary>
      <div className={classes.moreBody}>
        <TextInput
          label={text.healthCheck}
          description={text.healthCheckHint}
          inputWrapperOrder={ORDER}
          value={draft.healthCheck}
          error={errors.healthCheck}
          onChange={(event) => change({ healthCheck: event.currentTarget.value })}
        />
        {usesTls(draft) && (
          <DocumentSelect
            collection="secrets"
            label={text.authorities}
            description={text.authoritiesHint}
            value={draft.authorities}
            error={errors.authorities}
            onChange={(authorities) => change({ authorities })}
          />
        )}
      </div>
    </details>
  );
}

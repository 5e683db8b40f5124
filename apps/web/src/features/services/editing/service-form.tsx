import { NumberInput, Select, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { routes } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import type { WholeService } from '../types.ts';
import { useKnownVersions } from '../use-proxy-versions.ts';
import { BootstrapField } from './bootstrap-field.tsx';
import { ClientsField } from './clients-field.tsx';
import type { ServiceDraft } from './draft.ts';
import classes from './editing.module.css';
import { NamesField, useClientListeners, useDocumentNames, useMissingNames, usePolicyNames } from './names-field.tsx';
import { texts } from './texts.tsx';

const text = texts.serviceForm;

export type FormErrors = Readonly<Partial<Record<keyof ServiceDraft, string>>>;

interface ServiceFormProps {
  readonly draft: ServiceDraft;
  readonly errors: FormErrors;
  /** Clients of an existing service: those that it is assigned to or deployed on. */
  readonly targets: WholeService['targets'];
  readonly onChange: (change: Partial<ServiceDraft>) => void;
}

export function ServiceForm({ draft, errors, targets, onChange }: ServiceFormProps) {
  const project = useProject();
  const can = useCan();
  const versions = useKnownVersions();
  const isDeployed = targets.some(({ deployed }) => deployed);
  const { version } = draft;
  const [listenerText, setListenerText] = useState('');
  const [policyText, setPolicyText] = useState('');
  const listeners = useDocumentNames('listeners', version, listenerText);
  const policies = usePolicyNames(policyText);
  const clientListeners = useClientListeners(version, draft.listeners);
  const missing = useMissingNames('listeners', version, draft.listeners);
  const shown = versions.map((one) => ({
    value: one.version,
    label: one.documents > 0 ? text.versionOption(one.version, one.documents) : one.version,
  }));
  return (
    <>
      <TextInput
        label={text.name}
        description={isDeployed ? text.nameHintDeployed : text.nameHint}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        withAsterisk
        readOnly={isDeployed}
        variant={isDeployed ? 'filled' : 'default'}
        value={draft.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        error={errors.name}
        maxLength={128}
        autoComplete="off"
      />
      <Select
        label={text.proxyVersion}
        description={text.proxyVersionHint}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        withAsterisk
        data={
          version === '' || shown.some(({ value }) => value === version)
            ? shown
            : [{ value: version, label: version }, ...shown]
        }
        value={version === '' ? null : version}
        onChange={(value) => onChange({ version: value ?? '' })}
        allowDeselect={false}
        error={errors.version}
        searchable
      />
      <BootstrapField
        value={draft.bootstrap}
        version={version}
        error={errors.bootstrap}
        onChange={(bootstrap) => onChange({ bootstrap })}
      />
      <NamesField
        label={text.listeners}
        description={
          <>
            {text.listenersHint}{' '}
            {can(routes.xds.create) && (
              <Link
                to="/p/$project/resources/$collection/new"
                params={{ project: project.name, collection: 'listeners' }}
                search={{ version }}
              >
                {text.createListener}
              </Link>
            )}
          </>
        }
        chosen={draft.listeners}
        error={errors.listeners ?? (missing.length > 0 ? text.notForVersion(version, missing.join(', ')) : undefined)}
        names={listeners}
        text={listenerText}
        onText={setListenerText}
        onChange={(names) => onChange({ listeners: names })}
      />
      <NamesField
        label={text.policies}
        description={text.policiesHint(
          can(routes.policy.create) && (
            <Link to="/p/$project/policies/new" params={{ project: project.name }}>
              {text.createPolicy}
            </Link>
          ),
        )}
        chosen={draft.policies}
        error={errors.policies}
        names={policies}
        text={policyText}
        onText={setPolicyText}
        onChange={(names) => onChange({ policies: names })}
      />
      <ClientsField
        clients={draft.clients}
        targets={targets}
        clientListeners={clientListeners}
        error={errors.clients}
        onChange={(clients) => onChange({ clients })}
      />
      <details className={classes.more}>
        <summary>{text.summary}</summary>
        <div className={classes.moreBody}>
          <NumberInput
            label={text.threads}
            description={text.threadsHint}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            min={1}
            max={64}
            allowDecimal={false}
            clampBehavior="strict"
            value={draft.shield.threads}
            onChange={(value) => onChange({ shield: { ...draft.shield, threads: Number(value) || 1 } })}
            error={errors.shield}
          />
          <NumberInput
            label={text.trustedProxies}
            description={text.trustedProxiesHint}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            min={0}
            max={32}
            allowDecimal={false}
            clampBehavior="strict"
            value={draft.shield.xff_trusted_hops}
            onChange={(value) => onChange({ shield: { ...draft.shield, xff_trusted_hops: Number(value) || 0 } })}
          />
        </div>
      </details>
    </>
  );
}

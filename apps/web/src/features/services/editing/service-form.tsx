import { NumberInput, Select, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { routes } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import type { Service } from '../types.ts';
import { useKnownVersions } from '../use-proxy-versions.ts';
import { BootstrapField } from './bootstrap-field.tsx';
import { ClientsField } from './clients-field.tsx';
import type { ServiceDraft } from './draft.ts';
import classes from './editing.module.css';
import { NamesField, useDocumentNames, useMissingNames, usePolicyNames } from './names-field.tsx';

export type FormErrors = Readonly<Partial<Record<keyof ServiceDraft, string>>>;

interface ServiceFormProps {
  readonly draft: ServiceDraft;
  readonly errors: FormErrors;
  /** Of a service that exists: where it is listed and deployed. */
  readonly targets: Service['targets'];
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
  const missing = useMissingNames('listeners', version, draft.listeners);
  const shown = versions.map((one) => ({
    value: one.version,
    label: one.documents > 0 ? `${one.version} (${one.documents} documents here)` : one.version,
  }));
  return (
    <>
      <TextInput
        label="Name"
        description={
          isDeployed
            ? 'It is deployed: it can be renamed only after it is undeployed everywhere.'
            : "Part of every node's id; what people see and type."
        }
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
        label="Proxy version"
        description="The Envoy release that it runs. Its documents are those of this version."
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
        label="Listeners"
        description={
          <>
            Where it accepts connections. Routes and clusters follow from them.{' '}
            {can(routes.xds.create) && (
              <Link
                to="/p/$project/resources/$collection/new"
                params={{ project: project.name, collection: 'listeners' }}
                search={{ version }}
              >
                Create a listener
              </Link>
            )}
          </>
        }
        chosen={draft.listeners}
        error={
          errors.listeners ??
          (missing.length > 0 ? `Not there for Envoy ${version}: ${missing.join(', ')}.` : undefined)
        }
        names={listeners}
        text={listenerText}
        onText={setListenerText}
        onChange={(names) => onChange({ listeners: names })}
      />
      <NamesField
        label="Policies"
        description={
          <>
            Which requests the filter lets through; without one it checks nothing.{' '}
            {can(routes.policy.create) && (
              <Link to="/p/$project/policies/new" params={{ project: project.name }}>
                Create a policy
              </Link>
            )}
          </>
        }
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
        error={errors.clients}
        onChange={(clients) => onChange({ clients })}
      />
      <details className={classes.more}>
        <summary>More: the filter</summary>
        <div className={classes.moreBody}>
          <NumberInput
            label="Threads"
            description="Of the filter on each client, 1 to 64."
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
            label="Trusted proxies in front"
            description="How many entries of X-Forwarded-For, from the right, are believed; 0 to 32."
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

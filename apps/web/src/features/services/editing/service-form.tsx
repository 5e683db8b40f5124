import { NumberInput, Select, Switch, TextInput } from '@mantine/core';
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

type FieldProps = Omit<ServiceFormProps, 'targets'>;

const HINT_BELOW = ['label', 'input', 'error', 'description'] as const;

export function ServiceForm({ targets, ...props }: ServiceFormProps) {
  const { draft, errors, onChange } = props;
  const isDeployed = targets.some(({ deployed }) => deployed);
  const clientListeners = useClientListeners(draft.version, draft.listeners);
  return (
    <>
      <TextInput
        label={text.name}
        description={isDeployed ? text.nameHintDeployed : text.nameHint}
        inputWrapperOrder={[...HINT_BELOW]}
        withAsterisk
        readOnly={isDeployed}
        variant={isDeployed ? 'filled' : 'default'}
        value={draft.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        error={errors.name}
        maxLength={128}
        autoComplete="off"
      />
      <VersionField {...props} />
      <BootstrapField
        value={draft.bootstrap}
        version={draft.version}
        error={errors.bootstrap}
        onChange={(bootstrap) => onChange({ bootstrap })}
      />
      <ListenersField {...props} />
      <PoliciesField {...props} />
      <ClientsField
        clients={draft.clients}
        targets={targets}
        clientListeners={clientListeners}
        error={errors.clients}
        onChange={(clients) => onChange({ clients })}
      />
      <DiscoveryField {...props} />
      <ShieldFields {...props} />
    </>
  );
}

function VersionField({ draft: { version }, errors, onChange }: FieldProps) {
  const known = useKnownVersions().map((one) => ({
    value: one.version,
    label: one.documents > 0 ? text.versionOption(one.version, one.documents) : one.version,
  }));
  const isListed = version === '' || known.some(({ value }) => value === version);
  return (
    <Select
      label={text.proxyVersion}
      description={text.proxyVersionHint}
      inputWrapperOrder={[...HINT_BELOW]}
      withAsterisk
      data={isListed ? known : [{ value: version, label: version }, ...known]}
      value={version === '' ? null : version}
      onChange={(value) => onChange({ version: value ?? '' })}
      allowDeselect={false}
      error={errors.version}
      searchable
    />
  );
}

function ListenersField({ draft: { version, listeners }, errors, onChange }: FieldProps) {
  const project = useProject();
  const can = useCan();
  const [typed, setTyped] = useState('');
  const names = useDocumentNames('listeners', version, typed);
  const missing = useMissingNames('listeners', version, listeners);
  return (
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
      chosen={listeners}
      error={errors.listeners ?? (missing.length > 0 ? text.notForVersion(version, missing.join(', ')) : undefined)}
      names={names}
      text={typed}
      onText={setTyped}
      onChange={(chosen) => onChange({ listeners: chosen })}
    />
  );
}

function PoliciesField({ draft: { policies }, errors, onChange }: FieldProps) {
  const project = useProject();
  const can = useCan();
  const [typed, setTyped] = useState('');
  const names = usePolicyNames(typed);
  return (
    <NamesField
      label={text.policies}
      description={text.policiesHint(
        can(routes.policy.create) && (
          <Link to="/p/$project/policies/new" params={{ project: project.name }}>
            {text.createPolicy}
          </Link>
        ),
      )}
      chosen={policies}
      error={errors.policies}
      names={names}
      text={typed}
      onText={setTyped}
      onChange={(chosen) => onChange({ policies: chosen })}
    />
  );
}

function DiscoveryField({ draft, errors, onChange }: FieldProps) {
  return (
    <Switch
      label={text.apiDiscovery}
      description={text.apiDiscoveryHint}
      checked={draft.api_discovery}
      onChange={(event) => onChange({ api_discovery: event.currentTarget.checked })}
      error={errors.api_discovery}
    />
  );
}

function ShieldFields({ draft: { shield }, errors, onChange }: FieldProps) {
  const shared = {
    inputWrapperOrder: [...HINT_BELOW],
    allowDecimal: false,
    clampBehavior: 'strict' as const,
  };
  return (
    <details className={classes.more}>
      <summary>{text.summary}</summary>
      <div className={classes.moreBody}>
        <NumberInput
          {...shared}
          label={text.threads}
          description={text.threadsHint}
          min={1}
          max={64}
          value={shield.threads}
          onChange={(value) => onChange({ shield: { ...shield, threads: Number(value) || 1 } })}
          error={errors.shield}
        />
        <NumberInput
          {...shared}
          label={text.trustedProxies}
          description={text.trustedProxiesHint}
          min={0}
          max={32}
          value={shield.xff_trusted_hops}
          onChange={(value) => onChange({ shield: { ...shield, xff_trusted_hops: Number(value) || 0 } })}
        />
      </div>
    </details>
  );
}

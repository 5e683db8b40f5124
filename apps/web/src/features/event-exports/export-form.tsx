import { EVENT_EXPORT_DECISIONS } from '@flotilla/contract';
import {
  Checkbox,
  Fieldset,
  MultiSelect,
  NumberInput,
  PasswordInput,
  Select,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { ReactNode } from 'react';
import { NameField } from '../../accounts/index.ts';
import { ApiFormBody, type useApiForm } from '../../ui/index.ts';
import { toFlagOptions, useRiskFlags } from '../inventory/index.ts';
import type { ExportFields } from './export-model.ts';
import { ServicesField } from './services-field.tsx';
import { texts } from './texts.ts';

const text = texts.exports;

type Form = ReturnType<typeof useApiForm<ExportFields & Record<string, unknown>>>;

interface PartProps {
  readonly form: Form;
  /** The complaint of the controller about a member of the target or of the selection. */
  readonly refusalOf: (path: string) => ReactNode;
}

interface ExportFormProps extends PartProps {
  /** Paths of the secrets that the export has. */
  readonly keeps: readonly string[];
  readonly action: string;
}

export function ExportForm({ form, refusalOf, keeps, action }: ExportFormProps) {
  const { kind } = form.values;
  return (
    <ApiFormBody form={form} action={action} failed={text.failed}>
      <NameField label={text.name} {...form.field('name')} isFirst />
      <Checkbox label={text.enabled} description={text.enabledHint} {...form.field('enabled', 'checkbox')} />
      <Select label={text.kind} data={toChoices(text.kinds)} allowDeselect={false} {...form.field('kind')} />
      {kind === 'syslog' ? (
        <SyslogFields form={form} refusalOf={refusalOf} hasKey={keeps.includes('target.client_key')} />
      ) : (
        <WebhookFields form={form} refusalOf={refusalOf} hasSecret={keeps.includes('target.secret')} />
      )}
      <Textarea
        label={text.ca}
        description={text.caHint}
        autosize
        minRows={2}
        maxRows={8}
        {...form.field('ca')}
        error={refusalOf('target.ca_cert')}
      />
      <SelectionFields form={form} refusalOf={refusalOf} />
    </ApiFormBody>
  );
}

function toChoices(words: Readonly<Record<string, string>>) {
  return Object.entries(words).map(([value, label]) => ({ value, label }));
}

function SyslogFields({ form, refusalOf, hasKey }: PartProps & { readonly hasKey: boolean }) {
  return (
    <>
      <TextInput
        label={text.host}
        description={text.hostHint}
        {...form.field('host')}
        error={refusalOf('target.host')}
      />
      <NumberInput
        label={text.port}
        min={1}
        max={65_535}
        allowDecimal={false}
        {...form.field('port')}
        error={refusalOf('target.port')}
      />
      <Select
        label={text.protocol}
        data={toChoices(text.protocols)}
        allowDeselect={false}
        {...form.field('protocol')}
      />
      <TextInput label={text.appName} {...form.field('appName')} error={refusalOf('target.app_name')} />
      {form.values.protocol === 'tls' && (
        <>
          <Textarea
            label={text.cert}
            description={text.certHint}
            autosize
            minRows={2}
            maxRows={8}
            {...form.field('cert')}
            error={refusalOf('target.client_cert')}
          />
          {form.values.cert.trim() !== '' && (
            <Textarea
              label={text.key}
              description={hasKey ? text.secretKept : text.keyHint}
              autosize
              minRows={2}
              maxRows={8}
              autoComplete="off"
              spellCheck={false}
              {...form.field('clientKey')}
              error={refusalOf('target.client_key')}
            />
          )}
        </>
      )}
    </>
  );
}

function WebhookFields({ form, refusalOf, hasSecret }: PartProps & { readonly hasSecret: boolean }) {
  return (
    <>
      <TextInput
        label={text.url}
        description={text.urlHint}
        type="url"
        {...form.field('url')}
        error={refusalOf('target.url')}
      />
      <PasswordInput
        label={text.secret}
        description={hasSecret ? text.secretKept : text.secretHint}
        autoComplete="off"
        {...form.field('secret')}
        error={refusalOf('target.secret')}
      />
      <Select label={text.format} data={toChoices(text.formats)} allowDeselect={false} {...form.field('format')} />
    </>
  );
}

function SelectionFields({ form, refusalOf }: PartProps) {
  const { decisions, flags, services } = form.values;
  const catalogue = useRiskFlags();
  return (
    <Fieldset legend={text.selection}>
      <Checkbox.Group
        label={text.decisions}
        value={[...decisions]}
        onChange={(chosen) => form.set('decisions', chosen as ExportFields['decisions'])}
        error={refusalOf('selection.decisions')}
      >
        {EVENT_EXPORT_DECISIONS.map((value) => (
          <Checkbox key={value} value={value} label={text.decision[value]} />
        ))}
      </Checkbox.Group>
      <NumberInput
        label={text.minRisk}
        description={text.minRiskHint}
        min={1}
        max={255}
        allowDecimal={false}
        {...form.field('minRisk')}
        error={refusalOf('selection.min_risk')}
      />
      <MultiSelect
        label={text.flags}
        description={text.flagsHint}
        data={[...toFlagOptions(catalogue)]}
        value={[...flags]}
        onChange={(chosen) => form.set('flags', chosen as ExportFields['flags'])}
        searchable
        clearable
      />
      <ServicesField value={services} onChange={(chosen) => form.set('services', chosen)} />
      <Textarea
        label={text.hosts}
        description={text.hostsHint}
        autosize
        minRows={2}
        {...form.field('hosts')}
        error={refusalOf('selection.hosts')}
      />
      <Checkbox label={text.findings} {...form.field('findings', 'checkbox')} />
    </Fieldset>
  );
}

import type { ApiDocument } from '@flotilla/contract';
import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Columns, Loaded, Notice, Problem, Section, useSending, useWrite } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { describeScope, readLines } from './scope-text.ts';
import { texts } from './texts.ts';

const text = texts.scope;

interface Values {
  readonly listener: string;
  readonly hosts: string;
  readonly paths: string;
}

/** The scope of a document, with a preview before it is saved. */
export function ScopeTab({ document, etag }: { document: ApiDocument; etag: string | undefined }) {
  const can = useCan();
  const [values, setValues] = useState<Values>({
    listener: document.listener_name,
    hosts: document.host_prefixes?.join('\n') ?? '',
    paths: document.path_prefixes?.join('\n') ?? '',
  });
  const [previewed, setPreviewed] = useState<Values>(values);
  return (
    <Columns isEven aside={<Preview document={document} values={previewed} />}>
      <Section title={text.title}>
        <div className={layout.stack}>
          <p className={layout.note}>{text.lead}</p>
          <p className={layout.note}>
            <bdi>{describeScope(document.scope)}</bdi>
          </p>
          <ScopeForm
            document={document}
            etag={etag}
            values={values}
            onChange={setValues}
            onPreview={() => setPreviewed(values)}
            isReadOnly={!can(routes.apiDocument.setScope)}
          />
          <Warnings document={document} />
        </div>
      </Section>
    </Columns>
  );
}

interface ScopeFormProps {
  readonly document: ApiDocument;
  readonly etag: string | undefined;
  readonly values: Values;
  readonly onChange: (values: Values) => void;
  readonly onPreview: () => void;
  readonly isReadOnly: boolean;
}

function ScopeForm({ document, etag, values, onChange, onPreview, isReadOnly }: ScopeFormProps) {
  const project = useProject();
  const write = useWrite();
  const sending = useSending();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void sending.send(() =>
      write(
        routes.apiDocument.setScope,
        {
          params: { document_id: document.id },
          query: { project: project.id },
          body: {
            listener_name: values.listener.trim(),
            host_prefixes: readLines(values.hosts),
            path_prefixes: readLines(values.paths),
          },
        },
        {
          ...(etag !== undefined && { ifMatch: etag }),
          done: ({ name }) => text.saved(name),
          stale: [routes.apiDocument.get, routes.apiDocument.list, routes.apiDocumentReport.differences],
        },
      ),
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <ScopeFields values={values} onChange={onChange} isReadOnly={isReadOnly} />
        {sending.error !== undefined && <Problem error={sending.error} what={text.failed} />}
        {!isReadOnly && (
          <Group gap="xs">
            <Button type="submit" loading={sending.isBusy}>
              {text.save}
            </Button>
            <Button variant="default" onClick={onPreview}>
              {text.preview}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}

function ScopeFields({ values, onChange, isReadOnly }: Pick<ScopeFormProps, 'values' | 'onChange' | 'isReadOnly'>) {
  return (
    <>
      <TextInput
        label={text.listener}
        description={text.listenerHint}
        value={values.listener}
        readOnly={isReadOnly}
        onChange={(event) => onChange({ ...values, listener: event.currentTarget.value })}
      />
      <Textarea
        label={text.hosts}
        description={text.hostsHint}
        value={values.hosts}
        readOnly={isReadOnly}
        rows={3}
        onChange={(event) => onChange({ ...values, hosts: event.currentTarget.value })}
      />
      <Textarea
        label={text.paths}
        description={text.pathsHint}
        value={values.paths}
        readOnly={isReadOnly}
        rows={3}
        onChange={(event) => onChange({ ...values, paths: event.currentTarget.value })}
      />
    </>
  );
}

function Preview({ document, values }: { document: ApiDocument; values: Values }) {
  const project = useProject();
  const listener = values.listener.trim();
  const hosts = readLines(values.hosts) ?? document.scope.host_prefixes;
  const paths = readLines(values.paths) ?? document.scope.path_prefixes;
  const query = useApi(routes.apiDocumentReport.previewScope, {
    query: {
      project: project.id,
      ...(listener !== '' && { listener_name: listener }),
      ...(hosts.length > 0 && { host_prefix: hosts }),
      ...(paths.length > 0 && { path_prefix: paths }),
    },
  });
  return (
    <Section title={text.samples}>
      <Loaded query={query} what={text.previewFailed}>
        {({ body }) => (
          <>
            <p className={layout.note}>{text.matched(body.matched, body.operation_count)}</p>
            <ul>
              {body.samples.map(({ operation_id: id, method, host, path }) => (
                <li key={id} className="mono">
                  {method} <bdi>{`${host}${path}`}</bdi>
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </Section>
  );
}

function Warnings({ document: { version } }: { document: ApiDocument }) {
  if (version.warnings.length === 0) return null;
  return (
    <Notice tone="quiet" title={texts.document.warnings(version.warnings.length)}>
      <ul>
        {version.warnings.map(({ field, message }) => (
          <li key={`${field} ${message}`}>
            <bdi className="mono">{field}</bdi> <bdi>{message}</bdi>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

import type { ApiOwnerPreview, apiOwnerRoutes, CallOutput } from '@flotilla/contract';
import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { call, routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Empty, Loaded, Problem, useSending, useWrite } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { RuleCard } from './rule-card.tsx';
import { createValues, type RuleValues, toRule, toValues } from './rule-values.ts';
import { texts } from './texts.ts';

const text = texts.rules;

/** The rules in their order. A change is saved as a whole. */
export function RulesTab() {
  const project = useProject();
  const query = useApi(routes.apiOwner.rules, { query: { project: project.id } });
  return (
    <Loaded query={query} what={text.what}>
      {({ body, etag }) => <RulesForm key={body.revision} stored={body} etag={etag} />}
    </Loaded>
  );
}

interface RulesFormProps {
  readonly stored: CallOutput<typeof apiOwnerRoutes.rules>;
  readonly etag: string | undefined;
}

function RulesForm({ stored, etag }: RulesFormProps) {
  const isReadOnly = !useCan()(routes.apiOwner.replaceRules);
  const [rules, setRules] = useState(() => stored.rules.map((rule, index) => toValues(rule, `stored-${index}`)));
  const [added, setAdded] = useState(0);
  const [preview, setPreview] = useState<ApiOwnerPreview>();
  const change = (next: readonly RuleValues[]) => {
    setRules([...next]);
    setPreview(undefined);
  };
  return (
    <div className={layout.stack}>
      <p className={layout.note}>{text.hint}</p>
      {rules.length === 0 && <Empty title={text.none} />}
      {rules.map((values, index) => (
        <RuleCard
          key={values.key}
          values={values}
          outcome={preview?.rules[index]}
          isReadOnly={isReadOnly}
          onChange={(one) => change(rules.with(index, one))}
          onRemove={() => change(rules.toSpliced(index, 1))}
          onUp={index === 0 ? undefined : () => change(rules.toSpliced(index, 1).toSpliced(index - 1, 0, values))}
        />
      ))}
      {preview !== undefined && (
        <p role="status" className={layout.note}>
          {text.total(preview.operation_count, preview.unowned)}
        </p>
      )}
      {!isReadOnly && (
        <Actions
          rules={rules}
          etag={etag}
          onPreview={setPreview}
          onAdd={() => {
            change([...rules, createValues(`added-${added}`)]);
            setAdded(added + 1);
          }}
        />
      )}
    </div>
  );
}

interface ActionsProps {
  readonly rules: readonly RuleValues[];
  readonly etag: string | undefined;
  readonly onAdd: () => void;
  readonly onPreview: (preview: ApiOwnerPreview) => void;
}

function Actions({ rules, etag, onAdd, onPreview }: ActionsProps) {
  const project = useProject();
  const write = useWrite();
  const saving = useSending();
  const trying = useSending();
  const request = { query: { project: project.id }, body: { rules: rules.map(toRule) } };
  const save = () =>
    saving.send(() =>
      write(routes.apiOwner.replaceRules, request, {
        ...(etag !== undefined && { ifMatch: etag }),
        done: ({ rules: saved }) => text.saved(saved.length),
        stale: [routes.apiOwner.rules, routes.apiOwner.teams, routes.apiOwner.operations],
      }),
    );
  const tryOut = () =>
    trying.send(async () => {
      const { body } = await call(routes.apiOwner.preview, request);
      onPreview(body);
    });
  return (
    <>
      {saving.error !== undefined && <Problem error={saving.error} what={text.failed} />}
      {trying.error !== undefined && <Problem error={trying.error} what={text.previewFailed} />}
      <Group gap="xs">
        <Button loading={saving.isBusy} onClick={() => void save()}>
          {text.save}
        </Button>
        <Button variant="default" loading={trying.isBusy} onClick={() => void tryOut()}>
          {text.preview}
        </Button>
        <Button variant="default" onClick={onAdd}>
          {text.add}
        </Button>
      </Group>
    </>
  );
}

import type { apiOwnerRoutes, CallOutput } from '@flotilla/contract';
import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Facts, FormDialog, Loaded, Section, useSending, useWrite } from '../../ui/index.ts';
import { OverrideForm } from './override-form.tsx';
import { texts } from './texts.ts';

const text = texts.operation;

type Owned = CallOutput<typeof apiOwnerRoutes.get>;

/** The team and the owner of an endpoint. Admins may set other values than the rules do. */
export function OperationOwner({ operationId }: { operationId: string }) {
  const project = useProject();
  const query = useApi(routes.apiOwner.get, {
    params: { operation_id: operationId },
    query: { project: project.id },
  });
  return (
    <Section title={text.title}>
      <Loaded query={query} what={text.what}>
        {({ body }) => <Owner owned={body} />}
      </Loaded>
    </Section>
  );
}

function Owner({ owned }: { owned: Owned }) {
  const { team, owner, criticality, data_classes: classes, tags, rules } = owned.operation;
  const can = useCan();
  const [edited, setEdited] = useState<Owned>();
  return (
    <>
      <Facts
        facts={[
          [text.team, <bdi key="team">{team || texts.none}</bdi>],
          [text.owner, <bdi key="owner">{owner || texts.none}</bdi>],
          [text.criticality, criticality === null ? texts.none : texts.criticalities[criticality]],
          [text.data, classes.map((one) => texts.data[one]).join(', ')],
          [text.tags, <bdi key="tags">{tags.join(', ') || texts.none}</bdi>],
          [text.rules, <bdi key="rules">{rules.join(', ') || texts.none}</bdi>],
        ]}
      />
      {can(routes.apiOwner.override) && (
        <Group gap="xs" mt="xs">
          <Button variant="default" size="compact-xs" onClick={() => setEdited(owned)}>
            {text.edit}
          </Button>
          {owned.override !== null && <Clear operationId={owned.operation.operation_id} />}
        </Group>
      )}
      <FormDialog of={edited} title={() => text.editTitle} onClose={() => setEdited(undefined)}>
        {(record) => <OverrideForm owned={record} onDone={() => setEdited(undefined)} />}
      </FormDialog>
    </>
  );
}

function Clear({ operationId }: { operationId: string }) {
  const project = useProject();
  const write = useWrite();
  const sending = useSending();
  const clear = () =>
    sending.send(() =>
      write(
        routes.apiOwner.clearOverride,
        { params: { operation_id: operationId }, query: { project: project.id } },
        { done: text.cleared, stale: [routes.apiOwner.get, routes.apiOwner.operations, routes.apiOwner.teams] },
      ),
    );
  return (
    <Button variant="default" size="compact-xs" loading={sending.isBusy} onClick={() => void clear()}>
      {text.clear}
    </Button>
  );
}

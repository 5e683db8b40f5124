import type { InventoryOperation } from '@flotilla/contract';
import { Button, List } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { routes } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import { Confirm, Time, useDelete, useWrite } from '../../../ui/index.ts';
import { isFresh } from '../looks.ts';
import { shortNameOf } from '../operation-name.tsx';
import { texts } from './texts.tsx';

const text = texts.actions;

const STALE = [
  routes.inventory.list,
  routes.inventory.attackSurface,
  routes.inventory.groups,
  routes.inventory.riskSummary,
] as const;

/** Reset and delete, for those who may. Each says what happens, and that traffic brings things back. */
export function EndpointActions({ operation }: { operation: InventoryOperation }) {
  const can = useCan();
  const [asked, setAsked] = useState<'reset' | 'remove'>();
  const close = () => setAsked(undefined);
  return (
    <>
      <DraftLink operation={operation} />
      {can(routes.inventoryAction.reset) && (
        <Button variant="default" onClick={() => setAsked('reset')}>
          {text.reset}
        </Button>
      )}
      {can(routes.inventoryAction.delete) && (
        <Button variant="default" onClick={() => setAsked('remove')}>
          {text.remove}
        </Button>
      )}
      <ResetQuestion operation={operation} isOpen={asked === 'reset'} onClose={close} />
      <DeleteQuestion operation={operation} isOpen={asked === 'remove'} onClose={close} />
    </>
  );
}

/** Drafts a policy for this endpoint. A row that counts many operations has no path. */
function DraftLink({ operation: { id, confirmed, other } }: { readonly operation: InventoryOperation }) {
  const project = useProject();
  const can = useCan();
  if (!confirmed || other || !can(routes.policyDraft.suggest)) return null;
  return (
    <Button
      variant="default"
      renderRoot={(props) => (
        <Link
          {...props}
          to="/p/$project/traffic/drafts/new"
          params={{ project: project.name }}
          search={{ operation_id: id }}
        />
      )}
    >
      {text.draft}
    </Button>
  );
}

interface QuestionProps {
  readonly operation: InventoryOperation;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function ResetQuestion({ operation, isOpen, onClose }: QuestionProps) {
  const project = useProject();
  const write = useWrite();
  const reset = () =>
    write(
      routes.inventoryAction.reset,
      { params: { operation_id: operation.id }, query: { project: project.id } },
      { done: text.resetDone, stale: [routes.inventory.get, ...STALE] },
    );
  return (
    <Confirm
      opened={isOpen}
      title={text.resetTitle(shortNameOf(operation))}
      action={text.reset}
      onConfirm={reset}
      onClose={onClose}
    >
      <List spacing="xs">
        <List.Item>{text.resets.zero}</List.Item>
        <List.Item>{text.resets.stays(<Time at={operation.first_seen} />)}</List.Item>
        <List.Item>{text.resets.returns}</List.Item>
        <List.Item>{text.audited}</List.Item>
      </List>
    </Confirm>
  );
}

function DeleteQuestion({ operation, isOpen, onClose }: QuestionProps) {
  const project = useProject();
  const navigate = useNavigate();
  const remove = useDelete();
  const confirm = async () => {
    await remove(
      routes.inventoryAction.delete,
      { params: { operation_id: operation.id }, query: { project: project.id } },
      { done: text.removeDone, stale: STALE },
    );
    await navigate({ to: '/p/$project/traffic/endpoints', params: { project: project.name } });
  };
  return (
    <Confirm
      opened={isOpen}
      title={text.removeTitle(shortNameOf(operation))}
      action={text.remove}
      isDangerous
      onConfirm={confirm}
      onClose={onClose}
    >
      <List spacing="xs">
        <List.Item>{text.removes.gone(operation.seen_count.toLocaleString('en'))}</List.Item>
        <List.Item>{isFresh(operation.last_seen, Date.now()) ? text.removes.fresh : text.removes.returns}</List.Item>
        <List.Item>{text.removes.events}</List.Item>
        <List.Item>{text.audited}</List.Item>
      </List>
    </Confirm>
  );
}

import { Button, Group, Modal, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Notice, Problem } from '../ui/index.ts';
import { ChangeList } from './lazy-editor.tsx';
import type { ChangePlan } from './plan.ts';

export interface ReviewDialogProps {
  /** `Save listener edge?` */
  readonly title: string;
  /** Undefined: closed. */
  readonly plan: ChangePlan | undefined;
  /** The verb on the button. */
  readonly action: string;
  readonly onApply: () => Promise<unknown>;
  readonly onClose: () => void;
  /** What the list of differences does not show: a text beside the other. */
  readonly children?: ReactNode;
}

const NODES_SHOWN_MAX = 20;

/** Before anything is stored: what would differ, which services and nodes it reaches, and what to know first. */
export function ReviewDialog({ title, plan, action, onApply, onClose, children }: ReviewDialogProps) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const close = () => {
    setError(undefined);
    onClose();
  };
  const apply = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await onApply();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal
      opened={plan !== undefined}
      onClose={close}
      title={title}
      size="xl"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {plan && (
        <Stack gap="md">
          {plan.warnings.length > 0 && (
            <Notice tone="warn" title={plan.warnings.length === 1 ? 'One warning' : `${plan.warnings.length} warnings`}>
              <ul style={{ margin: 0, paddingLeft: 18 }}>
                {plan.warnings.map(({ path, message }) => (
                  <li key={`${path} ${message}`}>
                    <span className="mono">{path}</span> {message}
                  </li>
                ))}
              </ul>
            </Notice>
          )}
          <Reach plan={plan} />
          {plan.diff.length > 0 ? <ChangeList changes={plan.diff} /> : (children ?? <div>Nothing differs.</div>)}
          {plan.diff.length > 0 && children}
          {error !== undefined && <Problem error={error} what="Nothing was changed" />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Back to editing
            </Button>
            <Button onClick={() => void apply()} loading={isBusy} data-autofocus>
              {action}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

function Reach({ plan: { nodes, services } }: { plan: ChangePlan }) {
  if (!nodes) return null;
  if (nodes.length === 0) return <div>No deployed service uses it: no proxy is reached.</div>;
  return (
    <div>
      Reaches <strong>{nodes.length}</strong> {nodes.length === 1 ? 'node' : 'nodes'}
      {services && services.length > 0 && (
        <>
          {' '}
          of <bdi>{services.map(({ name }) => name).join(', ')}</bdi>
        </>
      )}
      .
      <details>
        <summary>Which nodes</summary>
        <ul className="mono" style={{ margin: 0, paddingLeft: 18, overflowWrap: 'anywhere' }}>
          {nodes.slice(0, NODES_SHOWN_MAX).map((node) => (
            <li key={node}>{node}</li>
          ))}
          {nodes.length > NODES_SHOWN_MAX && <li>and {nodes.length - NODES_SHOWN_MAX} more</li>}
        </ul>
      </details>
    </div>
  );
}

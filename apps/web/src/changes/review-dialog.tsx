import { Button, Group, Modal, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Notice, Problem } from '../ui/index.ts';
import { ChangeList } from './lazy-editor.tsx';
import type { ChangePlan } from './plan.ts';
import { texts } from './texts.tsx';

const text = texts.reviewDialog;

export interface ReviewDialogProps {
  /** For example `Save listener edge?` */
  readonly title: string;
  /** undefined: the dialog is closed. */
  readonly plan: ChangePlan | undefined;
  /** Text of the button, a verb. */
  readonly action: string;
  readonly onApply: () => Promise<unknown>;
  readonly onClose: () => void;
  /** Content that the list of differences does not show, such as a text diff. */
  readonly children?: ReactNode;
}

const NODES_SHOWN_MAX = 20;

/** Reviews a change before it is saved: differences, affected services and nodes, and warnings. */
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
    <Modal opened={plan !== undefined} onClose={close} title={title} size="xl">
      {plan && (
        <Stack gap="md">
          {plan.warnings.length > 0 && (
            <Notice tone="warn" title={text.dialog.warnings(plan.warnings.length)}>
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
          {plan.diff.length > 0 ? <ChangeList changes={plan.diff} /> : (children ?? <div>{text.dialog.nothing}</div>)}
          {plan.diff.length > 0 && children}
          {error !== undefined && <Problem error={error} what={text.dialog.failed} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {text.dialog.back}
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
  if (nodes.length === 0) return <div>{text.reach.noNodes}</div>;
  return (
    <div>
      {text.reach.nodes(
        <strong>{nodes.length}</strong>,
        nodes.length,
        services &&
          services.length > 0 &&
          text.reach.ofServices(<bdi>{services.map(({ name }) => name).join(', ')}</bdi>),
      )}
      <details>
        <summary>{text.reach.summary}</summary>
        <ul className="mono" style={{ margin: 0, paddingLeft: 18, overflowWrap: 'anywhere' }}>
          {nodes.slice(0, NODES_SHOWN_MAX).map((node) => (
            <li key={node}>{node}</li>
          ))}
          {nodes.length > NODES_SHOWN_MAX && <li>{text.reach.andMore(nodes.length - NODES_SHOWN_MAX)}</li>}
        </ul>
      </details>
    </div>
  );
}

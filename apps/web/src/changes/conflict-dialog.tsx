import { Modal, Stack } from '@mantine/core';
import { ThreeWayMerge } from './lazy-editor.tsx';

export interface Conflict {
  /** As it was when the editing began, as this person has it, and as somebody else has stored it. */
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
  /** `anna, 2 min ago` */
  readonly theirsLabel: string;
}

export interface ConflictDialogProps {
  readonly conflict: Conflict | undefined;
  readonly language: 'json' | 'yaml';
  readonly onResolved: (text: string) => void;
  readonly onClose: () => void;
}

/** Two people edited one document: they meet at the difference, nobody overwrites. */
export function ConflictDialog({ conflict, language, onResolved, onClose }: ConflictDialogProps) {
  return (
    <Modal
      opened={conflict !== undefined}
      onClose={onClose}
      title="Somebody else has changed it meanwhile"
      size="min(1180px, 96vw)"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {conflict && (
        <Stack gap="sm">
          <p style={{ margin: 0 }}>
            Stored meanwhile by <bdi>{conflict.theirsLabel}</bdi>. Nothing of yours is lost and nothing of theirs is
            overwritten: take what fits, choose where both changed the same, then review and save once more.
          </p>
          <ThreeWayMerge {...conflict} language={language} onResolved={onResolved} />
        </Stack>
      )}
    </Modal>
  );
}

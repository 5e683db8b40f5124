import { Modal, Stack } from '@mantine/core';
import { ThreeWayMerge } from './lazy-editor.tsx';
import { texts } from './texts.tsx';

const words = texts.conflictDialog;

export interface Conflict {
  /** The document when editing began. `mine` has the changes of this user, `theirs` those that someone else saved. */
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

/** Shown when two people edited the same document. The user resolves the differences, so that nothing is overwritten. */
export function ConflictDialog({ conflict, language, onResolved, onClose }: ConflictDialogProps) {
  return (
    <Modal opened={conflict !== undefined} onClose={onClose} title={words.title} size="min(1180px, 96vw)">
      {conflict && (
        <Stack gap="sm">
          <p style={{ margin: 0 }}>{words.storedMeanwhile(<bdi>{conflict.theirsLabel}</bdi>)}</p>
          <ThreeWayMerge {...conflict} language={language} onResolved={onResolved} />
        </Stack>
      )}
    </Modal>
  );
}

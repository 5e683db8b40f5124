import { TagsInput, Textarea } from '@mantine/core';
import type { ResourceDraft } from './draft-model.ts';

/** Description and labels: for people, never sent to a proxy. */
export function AboutFields({
  draft,
  onChange,
  readOnly,
}: {
  draft: ResourceDraft;
  onChange: (draft: ResourceDraft) => void;
  readOnly: boolean;
}) {
  return (
    <>
      <Textarea
        label="Description"
        autosize
        minRows={1}
        maxRows={6}
        maxLength={4096}
        readOnly={readOnly}
        value={draft.description}
        onChange={(event) => onChange({ ...draft, description: event.currentTarget.value })}
      />
      <TagsInput
        label="Labels"
        placeholder={draft.labels.length === 0 ? 'key=value' : ''}
        disabled={readOnly}
        value={[...draft.labels]}
        onChange={(labels) => onChange({ ...draft, labels })}
        splitChars={[',', ' ']}
      />
    </>
  );
}
